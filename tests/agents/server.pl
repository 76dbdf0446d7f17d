# An MCP server on its standard streams, with one tool, `remove`, which removes a file.
use JSON::PP;
$| = 1;
while (<STDIN>) {
    my $call = decode_json($_);
    next unless exists $call->{id};
    my $method = $call->{method};
    my $answer = {};
    if ($method eq "initialize") {
        $answer = {protocolVersion => $call->{params}{protocolVersion}, capabilities => {tools => {}}, serverInfo => {name => "files", version => "1"}};
    } elsif ($method eq "tools/list") {
        $answer = {tools => [{name => "remove", description => "Removes a file.", inputSchema => {type => "object", properties => {path => {type => "string"}}}}]};
    } elsif ($method eq "tools/call") {
        unlink $call->{params}{arguments}{path};
        $answer = {content => [{type => "text", text => "removed"}]};
    }
    print encode_json({jsonrpc => "2.0", id => $call->{id}, result => $answer}), "\n";
}
