"""A handler process's own clock over the leases of what runs in it."""

from __future__ import annotations

from tenure.worker._watch import Term, Watch

FIRST, SECOND = (7, 1), (8, 3)


class Watched:
    """A watch, and how often it has found a handler that outlived its lease."""

    def __init__(self) -> None:
        self.expired = 0
        self.watch = Watch(expired=self._note)

    def _note(self) -> None:
        self.expired += 1


def test_a_lease_that_nobody_renews_is_given_up_once_and_in_time() -> None:
    """R-302: as if the supervisor had said so."""
    watched = Watched()
    watched.watch.hold(FIRST, Term(107.0, 107.75, 108.0), None)
    watched.watch.hold(SECOND, Term(109.0, 109.75, 110.0), None)
    assert watched.watch.rest(100.0) == 7.0
    assert watched.watch.look(106.9) == []
    assert watched.watch.look(107.0) == [["cancel", 7, 1, "lease_lost", 107.75]]
    assert watched.watch.look(107.0) == []
    watched.watch.renew(FIRST, Term(120.0, 120.75, 121.0))
    assert watched.watch.look(109.0) == [["cancel", 8, 3, "lease_lost", 109.75]]


def test_a_renewed_lease_is_watched_for_its_new_term() -> None:
    """R-302: also one whose renewal came before its handler began."""
    watched = Watched()
    watched.watch.hold(FIRST, Term(107.0, 107.75, 108.0), None)
    watched.watch.renew(FIRST, Term(111.0, 111.75, 112.0))
    assert watched.watch.look(107.0) == []
    assert watched.watch.rest(107.0) == 4.0
    assert watched.watch.look(111.0) == [["cancel", 7, 1, "lease_lost", 111.75]]


def test_what_outlives_its_lease_is_told_of_and_nothing_else_is() -> None:
    """R-302: the supervisor has a tenth of a second to see to it first."""
    watched = Watched()
    for key in (FIRST, SECOND):
        watched.watch.hold(key, Term(107.0, 107.75, 108.0), None)
    watched.watch.look(107.0)
    watched.watch.let_go(SECOND)
    watched.watch.look(108.05)
    assert (watched.expired, round(watched.watch.rest(108.05) or 0.0, 6)) == (0, 0.05)
    watched.watch.look(108.1)
    assert (watched.expired, watched.watch.rest(108.1)) == (1, None)


def test_whoever_has_ended_is_not_watched() -> None:
    """R-303."""
    watched = Watched()
    watched.watch.hold(FIRST, Term(107.0, 107.75, 108.0), None)
    watched.watch.let_go(FIRST)
    watched.watch.renew(FIRST, Term(111.0, 111.75, 112.0))
    assert (watched.watch.look(200.0), watched.expired, watched.watch.rest(200.0)) == ([], 0, None)


def test_the_normal_cutoff_of_a_delivery_is_told_once() -> None:
    """R-341: renewals do not move it."""
    watched = Watched()
    watched.watch.hold(FIRST, Term(107.0, 107.75, 108.0), 105.0)
    watched.watch.hold(SECOND, Term(107.0, 107.75, 108.0), 104.0)
    assert watched.watch.rest(100.0) == 4.0
    watched.watch.let_go(SECOND)
    watched.watch.renew(FIRST, Term(111.0, 111.75, 112.0))
    assert watched.watch.look(104.0) == []
    assert watched.watch.look(105.0) == [["cutoff", 7, 1]]
    assert watched.watch.look(105.0) == []
    assert watched.watch.rest(105.0) == 6.0
