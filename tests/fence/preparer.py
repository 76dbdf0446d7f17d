"""Listens where a host gives lines their domains, or asks there, as somebody would who wants lines to be held by less.

    preparer.py give SOCKET READY   gives whoever asks a ruleset that grants everything; READY is made when it listens
    preparer.py hear SOCKET READY   prints what the first one asks
    preparer.py ask SOCKET          asks what it reads until it is given something, grants everything in that, and keeps it
"""
import array, ctypes, os, socket, struct, sys, time

libc = ctypes.CDLL(None)
CREATE, ADD = 444, 445
EVERYTHING = 0x7FFF


def grant_everything(ruleset, rights):
    root = os.open("/", os.O_PATH)
    rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, root))
    return libc.syscall(ADD, ruleset, 1, rule, 0)


def listening(path, ready):
    os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
    here = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    here.bind(path)
    open(ready, "w").close()
    return here


def received(here):
    said, control, _, _ = here.recvmsg(1 << 16, socket.CMSG_SPACE(4))
    numbers = array.array("i")
    for _, _, data in control:
        numbers.frombytes(data[:4])
    return said, list(numbers)


def give(path, ready):
    here = listening(path, ready)
    while True:
        _, ways = received(here)
        attributes = ctypes.create_string_buffer(struct.pack("Q", EVERYTHING))
        ruleset = libc.syscall(CREATE, attributes, 8, 0)
        assert grant_everything(ruleset, EVERYTHING) == 0
        way = socket.socket(fileno=ways[0])
        way.sendmsg([b"[]"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [ruleset]))])
        way.close()
        os.close(ruleset)


def hear(path, ready):
    said, _ = received(listening(path, ready))
    sys.stdout.buffer.write(said)


def ask(path):
    said = sys.stdin.buffer.read()
    while True:
        own, others = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        to = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        given = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [others.fileno()]))
        to.sendmsg([said], [given], 0, path)
        others.close()
        _, numbers = received(own)
        if numbers:
            break
        time.sleep(0.02)
    # Of what it holds, it can be told to grant all; rights that it does not hold are refused.
    added = [grant_everything(numbers[0], 1 << bit) for bit in range(15)]
    assert 0 in added, added
    print("added")


sys.exit({"give": give, "hear": hear, "ask": ask}[sys.argv[1]](*sys.argv[2:]))
