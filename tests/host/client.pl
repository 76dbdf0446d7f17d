# What an agent's client does, a line each: `hook EVENT LINE` runs its hook with the event on a socket, as the real ones do, `forge EVENT LINE`
# with the event in a file; `shell LINE` starts its shell; `run LINE` another program; `cd DIRECTORY`, `wait FIFO` and `say TEXT` are its own.
use strict;
use warnings;
use Socket;
use Cwd;

$| = 1;

sub event {
    my ($name, $line) = @_;
    s/([\\"])/\\$1/g for $line;
    my $call = $line eq '' ? '' : qq(,"tool_name":"Bash","tool_input":{"command":"$line"});
    return sprintf '{"session_id":"s1","cwd":"%s","hook_event_name":"%s"%s}', getcwd(), $name, $call;
}

# Starts a program with this standard input; returns what it says.
sub said {
    my ($input, @words) = @_;
    pipe(my $out, my $in) or die;
    my $child = fork() // die;
    if (!$child) {
        open(STDIN, '<&', $input) or die;
        open(STDOUT, '>&', $in) or die;
        open(STDERR, '>&', $in) or die;
        close $out;
        exec(@words) or die;
    }
    close $in;
    close $input;
    local $/;
    my $said = <$out>;
    waitpid($child, 0);
    return $said // '';
}

sub decision {
    my ($said) = @_;
    return unless $said =~ /"permissionDecision":"(\w+)","permissionDecisionReason":"(.*?)"/;
    my ($word, $reason) = ($1, $2);
    open(my $file, '>', "$ENV{PLACE}/said.reason") or die;
    print $file $reason;
    close $file;
    my ($line) = $said =~ /"updatedInput":\{"command":"(.*?)"\}/;
    $word .= " $line" if defined $line;
    my ($told) = $said =~ /"additionalContext":"(.*?)"/;
    $word .= "\n$told" if defined $told;
    print $word, $reason =~ /(question \w+ is open.*)/ ? " $1" : '', "\n";
}

my $guard = $ENV{GUARD};
open(my $lines, '<', $ARGV[0]) or die;
while (my $line = <$lines>) {
    chomp $line;
    my ($word, $rest) = split ' ', $line, 2;
    next unless defined $word;
    my ($event, $command) = split ' ', $rest, 2;
    if ($word eq 'hook') {
        socketpair(my $ours, my $theirs, AF_UNIX, SOCK_STREAM, PF_UNSPEC) or die;
        syswrite($ours, event($event, $command // ''));
        shutdown($ours, 1);
        decision(said($theirs, $guard, 'hook', 'claude', '--limit', '200'));
    }
    elsif ($word eq 'forge') {
        open(my $file, '+>', "$ENV{PLACE}/forged") or die;
        syswrite($file, event($event, $command));
        seek($file, 0, 0);
        decision(said($file, $guard, 'hook', 'claude'));
    }
    elsif ($word eq 'shell' || $word eq 'run') {
        open(my $nothing, '<', '/dev/null') or die;
        my $shell = $word eq 'shell' ? $guard : '/bin/bash';
        my ($first) = split /\n/, said($nothing, $shell, '-c', $rest);
        print "$first\n" if defined $first;
    }
    elsif ($word eq 'cd') { chdir $rest or die }
    elsif ($word eq 'wait') { open(my $fifo, '<', $rest) or die; <$fifo> }
    elsif ($word eq 'say') { print "$rest\n" }
}
