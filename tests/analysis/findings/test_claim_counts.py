"""A reproduction says how many claims were judged, and names them by outcome."""

from __future__ import annotations

from society.analysis.findings import claim_findings
from society.claims.types import ClaimVerdict, VerdictOutcome


def verdict(claim: str, outcome: VerdictOutcome) -> ClaimVerdict:
    return ClaimVerdict(claim, "Table 1", "said", "found", outcome)


def test_outcomes_are_counted_and_claims_named_in_the_order_of_the_paper() -> None:
    verdicts = [
        verdict("fines help", "reproduced"),
        verdict("talk helps", "not reproduced"),
        verdict("votes help", "reproduced"),
        verdict("all is well", "cannot be told"),
    ]
    assert [one.sentence for one in claim_findings(verdicts)] == [
        "3 of 4 claims of the paper could be judged: 2 reproduced, 1 not reproduced and 1 cannot "
        "be told.",
        "Reproduced: «fines help» and «votes help».",
        "Not reproduced: «talk helps».",
        "Cannot be told: «all is well».",
    ]


def test_a_claim_counts_once_whatever_it_was_judged_under() -> None:
    readings: list[VerdictOutcome] = ["reproduced", "in part"]
    verdicts = [
        verdict(f"fines help ({name})", outcome)._replace(under=name)
        for name, outcome in zip(("table", "text"), readings, strict=True)
    ]
    assert [one.sentence for one in claim_findings(verdicts)] == [
        "1 of 1 claims of the paper could be judged: 1 with different outcomes under different "
        "readings.",
        "With different outcomes under different readings: «fines help».",
    ]


def test_of_many_claims_the_first_are_named() -> None:
    verdicts = [verdict(f"claim {number}", "reproduced") for number in range(30)]
    whole, named = claim_findings(verdicts)
    assert whole.short == "30 of 30 claims reproduced"
    assert named.sentence.endswith("«claim 2», «claim 3» and 26 more.")


def test_without_verdicts_there_is_nothing_to_say() -> None:
    assert claim_findings([]) == []
