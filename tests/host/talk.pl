# Speaks to a host, or as one: talk.pl SOCKET MESSAGE... | talk.pl --raw SOCKET HEX | talk.pl --listen SOCKET MESSAGE...
use strict;
use warnings;
use IO::Socket::UNIX;

$| = 1;
# Where shells ask, the host speaks first.
my $shells = qr/\.ask$/;

sub framed { my ($text) = @_; return 'gsh' . chr(2) . pack('V', length $text) . $text }

sub heard {
    my ($socket) = @_;
    # Who hangs up with something unread resets the connection.
    (read($socket, my $header, 8) // 0) == 8 or return;
    my $length = unpack('V', substr($header, 4));
    (read($socket, my $text, $length) // 0) == $length or return;
    return substr($header, 0, 3) . ord(substr($header, 3, 1)) . " $text";
}

my $how = $ARGV[0] =~ /^--/ ? shift : '';
my $path = shift;
if ($how eq '--listen') {
    unlink $path;
    my $listener = IO::Socket::UNIX->new(Local => $path, Listen => 5) or die "listen: $!";
    print "listens\n";
    while (my $socket = $listener->accept) {
        print $socket framed('{"type":"welcome"}') if $path =~ $shells;
        $socket->flush;
        my $said = heard($socket);
        print $said ? "asked\n" : "hung up\n";
        print $socket framed($_) for @ARGV;
        $socket->flush;
        # The other end hangs up first, having read all.
        heard($socket);
    }
    exit;
}
my $socket = IO::Socket::UNIX->new(Peer => $path) or die "connect: $!";
$socket->autoflush(1);
if ($path =~ $shells) {
    my $said = heard($socket);
    if (($said // '') !~ /"welcome"/) { print "$said\n" if $said; exit }
}
if ($how eq '--raw') {
    print $socket pack('H*', shift);
    $socket->shutdown(1) if @ARGV;
    while (my $said = heard($socket)) { print "$said\n" }
    exit;
}
for my $message (@ARGV) {
    print $socket framed($message);
    my $said = heard($socket);
    last unless defined $said;
    print "$said\n";
}
