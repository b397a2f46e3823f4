"""Findings: what a study shows, and what it cannot show, in sentences made from its tests.

    study_findings(study)       sentences about conditions, runs, generations, types
    claim_findings(verdicts)    sentences about the claims of a paper that were judged

Each sentence is a StudyFinding with the numbers that it rests on. Nothing is claimed that a test,
corrected as comparisons.py says, does not show.
"""

from .claim_counts import claim_findings
from .statements import Basis, StudyFinding
from .study_answers import StudyAnswers, study_findings

__all__ = ["Basis", "StudyAnswers", "StudyFinding", "claim_findings", "study_findings"]
