# A session bus with a desktop behind it: bus.pl SOCKET COMMANDS. Prints each notification that is shown, replaced or taken back. What a
# person does to the last one is read from COMMANDS, a fifo: `press NAME` a button, `dismiss` it. See the D-Bus specification, "Message
# Protocol" and "Authentication Protocol", and the Desktop Notifications Specification.
use strict;
use warnings;
use IO::Select;
use IO::Socket::UNIX;

$| = 1;
my ($path, $commands) = @ARGV;
my $listener = IO::Socket::UNIX->new(Local => $path, Listen => 9) or die "listen: $!";
# Opened for both, so that it has no end.
open(my $person, '+<', $commands) or die;
my $all = IO::Select->new($listener, $person);
my (%heard, %begun, %owner, $last, $notices, $names, $serial);

sub aligned { my ($bytes, $to) = @_; return $bytes . "\0" x (-length($bytes) % $to) }

# Appends a value of a simple type.
sub put {
    my ($bytes, $type, $value) = @_;
    return aligned($bytes, 4) . pack('V', $value) if $type eq 'u';
    return aligned($bytes, 4) . pack('V', length $value) . "$value\0" if $type ne 'g';
    return $bytes . pack('C', length $value) . "$value\0";
}

# Sends a message: its type, header fields as [number, type, value], the signature of its body and the values of that.
sub send_to {
    my ($client, $kind, $fields, $signature, @values) = @_;
    my $body = '';
    my @types = split //, $signature;
    $body = put($body, $types[$_], $values[$_]) for 0 .. $#types;
    my $header = '';
    my @all = (@$fields, [7, 's', ':1.0']);
    push @all, [8, 'g', $signature] if $signature ne '';
    # The fixed part is 16 bytes, so that what follows is aligned as it is alone.
    $header = put(aligned($header, 8) . pack('C', $_->[0]) . pack('C', 1) . "$_->[1]\0", $_->[1], $_->[2]) for @all;
    my $fixed = 'l' . pack('CCC', $kind, 1, 1) . pack('VVV', length $body, ++$serial, length $header);
    syswrite($client, aligned($fixed . $header, 8) . $body);
}

sub take {
    my ($bytes, $at, $type) = @_;
    if ($type eq 'g') {
        my $length = unpack('C', substr($bytes, $$at, 1));
        my $text = substr($bytes, $$at + 1, $length);
        $$at += $length + 2;
        return $text;
    }
    $$at += -$$at % 4;
    my $number = unpack('V', substr($bytes, $$at, 4));
    $$at += 4;
    return $number if $type eq 'u';
    my $text = substr($bytes, $$at, $number);
    $$at += $number + 1;
    return $text;
}

# Takes what a notification is from the body of its message, whose signature is `susssasa{sv}i`.
sub notice {
    my ($body) = @_;
    my $at = 0;
    my ($program, $replaced) = (take($body, \$at, 's'), take($body, \$at, 'u'));
    my ($icon, $title, $text) = map { take($body, \$at, 's') } 1 .. 3;
    my $end = take($body, \$at, 'u');
    $end += $at;
    my @buttons;
    push @buttons, take($body, \$at, 's') while $at < $end;
    # Of the hints only the one that is a byte.
    my ($urgency) = substr($body, $at) =~ /urgency\0\x01y\0(.)/s;
    $text =~ s/\n/ | /g;
    return join "\n", "$program: $title", "  $text", '  buttons ' . join(' ', @buttons), '  urgency ' . ord($urgency // "\1") . "\n";
}

sub told {
    my ($client, $message) = @_;
    my ($kind, $length, $number, $fields) = (unpack('C', substr($message, 1, 1)), unpack('VVV', substr($message, 4, 12)));
    my ($at, $end, %field) = (16, 16 + $fields);
    while ($at < $end) {
        $at += -$at % 8;
        my $name = unpack('C', substr($message, $at, 1));
        $at += 1;
        my $type = take($message, \$at, 'g');
        $field{$name} = take($message, \$at, $type);
    }
    my $body = substr($message, $end + -$end % 8);
    my $member = $field{3} // '';
    my $reply = sub { send_to($client, 2, [[5, 'u', $number]], @_) };
    return if $kind != 1;
    if ($member eq 'Hello') { $reply->('s', ':1.' . ++$names) }
    elsif ($member eq 'GetNameOwner') { $reply->('s', ':1.0') }
    elsif ($member eq 'Notify') {
        $last = ++$notices;
        $owner{$last} = $client;
        print notice($body);
        $reply->('u', $last);
    }
    elsif ($member eq 'CloseNotification') {
        my $at = 0;
        print 'taken back: ', take($body, \$at, 'u'), "\n";
        $reply->('');
    }
    else { $reply->('') }
}

# Takes whole messages from what a client said.
sub messages {
    my ($client) = @_;
    my $bytes = \$heard{$client};
    if (!$begun{$client}) {
        while ($$bytes =~ s/^\0?([^\r\n]*)\r\n//) {
            my ($word) = split ' ', $1;
            if ($word eq 'AUTH') { syswrite($client, "OK 0123456789abcdef0123456789abcdef\r\n") }
            elsif ($word eq 'BEGIN') { $begun{$client} = 1; last }
            else { syswrite($client, "ERROR\r\n") }
        }
    }
    while ($begun{$client} && length($$bytes) >= 16) {
        my ($body, undef, $fields) = unpack('VVV', substr($$bytes, 4, 12));
        my $whole = 16 + $fields;
        $whole += -$whole % 8 + $body;
        last if length($$bytes) < $whole;
        told($client, substr($$bytes, 0, $whole, ''));
    }
}

sub signal {
    my ($member, $signature, @values) = @_;
    my @fields = ([1, 'o', '/org/freedesktop/Notifications'], [2, 's', 'org.freedesktop.Notifications'], [3, 's', $member]);
    send_to($owner{$last}, 4, \@fields, $signature, @values);
}

print "ready\n";
while (my @ready = $all->can_read) {
    for my $one (@ready) {
        if ($one == $listener) { $all->add($listener->accept) }
        elsif ($one == $person) {
            my ($word, $name) = split ' ', readline($person);
            if ($word eq 'press') { signal('ActionInvoked', 'us', $last, $name) }
            else { signal('NotificationClosed', 'uu', $last, 2) }
        }
        elsif (sysread($one, $heard{$one}, 65536, length($heard{$one} // ''))) { messages($one) }
        else { $all->remove($one); delete $heard{$one}; delete $begun{$one}; close $one }
    }
}
