"""The port that the command serves on."""

import socket

import pytest

from attnviz.cli.address import HOME, base, browsed, free_port


def listening(host: str = "127.0.0.1", family: socket.AddressFamily = socket.AF_INET) -> socket.socket:
    return socket.create_server((host, 0), family=family)


@pytest.mark.parametrize("host", [HOME, "127.0.0.1", "0.0.0.0"])
def test_a_port_that_is_free_is_taken_as_it_stands(host: str) -> None:
    with listening() as probe:
        port = probe.getsockname()[1]
    assert free_port(host, port) == port


@pytest.mark.parametrize("host", [HOME, "127.0.0.1", "0.0.0.0"])
def test_a_busy_port_moves_on_to_a_free_one(host: str) -> None:
    with listening() as busy:
        taken = busy.getsockname()[1]
        port = free_port(host, taken)
        assert taken < port < taken + 100
        with socket.create_server(("127.0.0.1", port)) as found:
            assert found.getsockname()[1] == port


@pytest.mark.skipif(not socket.has_ipv6, reason="needs IPv6")
def test_a_port_is_busy_too_where_a_browser_would_find_another_program_under_localhost() -> None:
    try:
        busy = listening("::1", socket.AF_INET6)
    except OSError:
        pytest.skip("this machine has no ::1")
    with busy:
        taken = busy.getsockname()[1]
        if (socket.AF_INET6, ("::1", taken)) not in [
            (family, address[:2]) for family, *_, address in socket.getaddrinfo(HOME, taken)
        ]:
            pytest.skip("localhost is not ::1 here")
        assert free_port(HOME, taken) > taken


def test_port_0_is_any_free_one() -> None:
    assert free_port(HOME, 0) > 0


def test_the_last_port_of_all_is_the_last_tried() -> None:
    with (
        socket.create_server(("127.0.0.1", 2**16 - 1)),
        pytest.raises(OSError, match="no port from 65535 to 65535"),
    ):
        free_port(HOME, 2**16 - 1)


@pytest.mark.parametrize("host", ["203.0.113.7", "no such host"])
def test_a_host_that_is_not_this_machine_is_refused(host: str) -> None:
    with pytest.raises(OSError):  # the words are the system's
        free_port(host, 0)


def test_everywhere_is_here_for_a_browser_on_this_machine() -> None:
    assert [browsed(host) for host in ("0.0.0.0", "::", "10.0.0.7")] == [HOME, HOME, "10.0.0.7"]
    assert base("0.0.0.0", 8600) == "http://localhost:8600"
    assert base("::1", 8600) == "http://[::1]:8600"
