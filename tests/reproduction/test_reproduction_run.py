"""A paper reproduced: what is played, what judges are shown, and the page in the end."""

from __future__ import annotations

import json
import re
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

from society.analysis.study import open_sweep
from society.claims.data import Trial
from society.claims.types import (
    Claim,
    ClaimFinding,
    InsufficientEvidence,
    Reproduction,
    ReproductionDesign,
    order_finding,
)
from society.cli.main import main
from society.config.registry import reproduction
from society.errors import InputError, RunFileError
from society.experiments.clusters import local_processes
from society.experiments.experiment import read_experiment
from society.experiments.jobs import planned_runs
from society.experiments.progress import NoProgress
from society.index import experiments
from society.reproduction.evidence import Evidence
from society.reproduction.run import ReproductionRun

if TYPE_CHECKING:
    from tests.conftest import Provider

pytestmark = [
    pytest.mark.xdist_group("reproduction of a village"),  # one dry run for all
    pytest.mark.thorough,
]

HARSH = {"population": "altruist", "lake": "harsh", "punishers": "table"}
LUCK = np.tile([-1.0, 1.0], 25)
SMALL = {"replicates": 20, "rounds": 40}


def small() -> Reproduction:
    """Twelve conditions of the village with 20 runs each."""

    def last(evidence: Evidence) -> ClaimFinding:
        altruist, selfish = (
            evidence.runs("populations", "survival_time", {**HARSH, "population": name})
            for name in ("altruist", "selfish")
        )
        return order_finding(evidence.paired({"altruist > selfish": (altruist, selfish)}))

    claim = Claim("Altruists last", "Fig. 4", "Longer than others.", last)
    trial = Trial(
        name="populations", file="village_populations", title="Fig. 4: populations", instead=SMALL
    )
    return Reproduction("small", "Nobody 2026", ReproductionDesign((trial,), (claim,)))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> ReproductionRun:
    """The small reproduction, played."""
    run = ReproductionRun(small(), tmp_path_factory.mktemp("small"))
    with local_processes(1) as cluster:
        ended = run.play(cluster, NoProgress(), None)
    assert [done.status for done in ended.values()] == ["finished"] * 12
    return run


@pytest.fixture(scope="module")
def results(run: ReproductionRun) -> Evidence:
    return Evidence(run.results)


def test_an_experiment_is_played_with_what_stands_in_place_of_its_words() -> None:
    file = experiments()["village_fines_by_growth"]
    instead = {"replicates": 3, "base": "fishing_village_subsistence", "factors": {"fine": [5]}}
    read = read_experiment(file, instead=instead)
    assert read.levels["fine"] == (5,)
    assert len(read.levels["growth"]) == 13
    assert {one.setup.replicates for one in read.conditions} == {3}
    assert {one.setup.spec.parameters["wealth"] for one in read.conditions} == {60}
    assert read.text.startswith(file.read_text("utf-8"))
    assert "# played with replicates: 3\n" in read.text


def test_an_experiment_as_it_is_written_keeps_its_text() -> None:
    file = experiments()["village_fines_by_growth"]
    assert read_experiment(file).text == file.read_text("utf-8")


def test_institutions_are_an_experiment_of_their_own() -> None:
    """All principles, each left out, none, and each that acts alone; under both sets of numbers."""
    run = ReproductionRun(reproduction("village"), Path("nowhere"), institutions=True)
    assert list(run.results) == ["principles-default", "principles-subsistence"]
    assert run.extent == "34,000 runs in 34 conditions"
    assert all(claim.ours for claim in run.design.claims)
    conditions = {one.name for one in run.results["principles-default"].experiment.conditions}
    left_out = {one.removeprefix("without_") for one in conditions if one.startswith("without_")}
    assert len(left_out) == 8
    alone = {one.removeprefix("only_") for one in conditions if one.startswith("only_")}
    assert left_out - alone == {"right_to_organise"}


def test_institutions_are_refused_where_there_are_none_and_with_models() -> None:
    with pytest.raises(InputError, match="donor has no experiment on institutions"):
        ReproductionRun(reproduction("donor"), Path("nowhere"), institutions=True)
    with pytest.raises(InputError, match="the offline mind is no language model"):
        ReproductionRun(
            reproduction("village"), Path("nowhere"), ["offline", "lab/one"], institutions=True
        )
    with pytest.raises(InputError, match="--institutions plays no strategies"):
        ReproductionRun(
            reproduction("village"), Path("nowhere"), strategies=Path("x"), institutions=True
        )


def test_models_play_the_institutions_in_words() -> None:
    """All principles, each left out, and none; the claims are those about rules."""
    models = ["lab/one", "lab/two"]
    run = ReproductionRun(reproduction("village"), Path("nowhere"), models, institutions=True)
    experiment = run.results["principles"].experiment
    assert run.extent == "200 runs in 20 conditions with lab/one, lab/two"
    assert experiment.levels["model"] == ("lab/one", "lab/two")
    assert {one.setup.scenario.name for one in experiment.conditions} == {"language_village"}
    left_out = {str(one).removeprefix("without_") for one in experiment.levels["principles"]}
    assert len(left_out - {"all", "none"}) == 8
    rules = ReproductionRun(reproduction("village"), Path("nowhere"), institutions=True)
    assert {one.said for one in run.design.claims} < {one.said for one in rules.design.claims}


@pytest.mark.thorough
def test_the_offline_mind_tries_the_institutions_and_can_tell_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["reproduce", "village", "--institutions", "--model", "offline", "--quick"]
    assert main([*words, "--out", str(tmp_path / "out")]) == 0
    runs = open_sweep(tmp_path / "out" / "principles").runs
    assert len(runs) == 20
    assert "none" in set(runs["principles"].astype(str))
    said = capsys.readouterr().out
    assert "–  4. Monitoring: a village of models lasts longer with it (ours)" in said


@pytest.mark.thorough
def test_principles_that_act_on_fines_do_nothing_where_nobody_fines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Alone they leave villages as they were, to the last digit; boundaries do not."""
    words = ["reproduce", "village", "--institutions", "--repetitions", "30", "--quiet"]
    assert main([*words, "--out", str(tmp_path / "out"), "--workers", "1"]) == 0
    table = open_sweep(tmp_path / "out" / "principles-default").runs
    times = table.pivot(index="replicate", columns="condition", values="survival_time")
    for name in ("fitted_rules", "graduated_sanctions", "conflict_resolution", "nested_villages"):
        assert (times[f"only_{name}"] == times["none"]).all()
    assert (times["only_boundaries"] >= times["none"]).mean() > 0.9
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "1. Clear boundaries: a village lasts longer with it (ours)" in page


def test_models_become_levels_of_the_factor_model() -> None:
    run = ReproductionRun(reproduction("village"), Path("nowhere"), ["lab/one", "lab/two"])
    assert run.results["models"].experiment.levels["model"] == ("lab/one", "lab/two")
    assert run.extent == "960 runs in 96 conditions with lab/one, lab/two", "by two readings"
    assert run.announcement.endswith("the same command with --estimate tells what it costs")


def test_the_offline_mind_is_not_held_against_language_models() -> None:
    with pytest.raises(InputError, match=r"--model offline lab/one: the offline mind is no lang"):
        ReproductionRun(reproduction("village"), Path("nowhere"), ["offline", "lab/one"])


def test_models_may_be_named_one_by_one(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["reproduce", "village", "--model", "offline", "--model", "lab/one"]
    assert main(words) == 2
    assert "--model offline lab/one: the offline mind is no language" in capsys.readouterr().err


def test_a_seed_and_a_number_of_repetitions_hold_for_every_condition(tmp_path: Path) -> None:
    run = ReproductionRun(small(), tmp_path, seed=5, repetitions=3)
    assert {part.setup.seed for part in run.parts} == {5}
    assert {part.setup.replicates for part in run.parts} == {3}
    assert run.extent == "36 runs in 12 conditions, seed 5"


def test_repetitions_of_a_tournament_are_all_of_its_matches_and_designs(tmp_path: Path) -> None:
    """Two types on two seats: four matches a repetition, before which four designs are made."""
    run = ReproductionRun(reproduction("dilemmas"), tmp_path, ["lab/one", "lab/two"], repetitions=2)
    pairs = run.results["models_pairs"]
    parts = {part.name: part for part in planned_runs(pairs.experiment, pairs.folder)}
    contract = parts["game=prisoners_dilemma,mechanism=contract"]
    assert contract.setup.replicates == 8
    assert [made.replicates for _, made in contract.earlier] == [8]


def test_prompts_are_used_where_they_are_of_use(tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    (pack / "trust").mkdir(parents=True)
    (pack / "trust" / "move.md").write_text("Choose. {{ hint }}", "utf-8")
    run = ReproductionRun(reproduction("dilemmas"), tmp_path, ["offline"], prompts=pack)
    given = {part.setup.scenario.name: part.setup.spec.prompts for part in run.parts}
    assert given["trust"] == str(pack)
    assert {prompts for name, prompts in given.items() if name != "trust"} == {None}


def test_prompts_of_no_use_are_refused_before_anything_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pack = tmp_path / "pack"
    (pack / "fishing_village").mkdir(parents=True)
    (pack / "fishing_village" / "effort.md").write_text("Fish. {{ hint }}", "utf-8")
    out = ["--out", str(tmp_path / "out")]
    assert main(["reproduce", "village", "--prompts", str(pack), *out]) == 2
    assert "add --model M" in capsys.readouterr().err
    assert main(["reproduce", "donor", "--prompts", str(pack), "--model", "offline", *out]) == 2
    assert "pack has no prompt of donor_game; write one as" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_paper_without_language_models_refuses_them() -> None:
    with pytest.raises(InputError, match="small has no experiments with models"):
        ReproductionRun(small(), Path("nowhere"), ["lab/one"])


def test_before_anything_is_played_nothing_can_be_told(tmp_path: Path) -> None:
    run = ReproductionRun(small(), tmp_path)
    assert [one.outcome for one in run.verdicts()] == ["cannot be told"]
    assert run.verdicts()[0].notes == (
        "1 of 1 conditions of populations are not finished "
        "(population=altruist,lake=harsh,punishers=table); the same command goes on"
    )


def test_claims_are_judged_by_what_was_played(run: ReproductionRun) -> None:
    (verdict,) = run.verdicts()
    assert verdict.outcome == "reproduced"
    assert re.fullmatch(
        r"altruist > selfish: 30\.\d - 11\.\d = 18\.\d \[18\.\d, 19\.\d\], p < 0\.001",
        verdict.found,
    )


def test_types_fare_in_games_only(results: Evidence) -> None:
    words = "punishers=table does not keep what everybody did in a game"
    with pytest.raises(InsufficientEvidence, match=words):
        results.type_scores("populations", "mean", HARSH)


def test_runs_come_by_replicate_and_conditions_in_their_order(results: Evidence) -> None:
    one = results.runs("populations", "survival_time", HARSH)
    both = results.runs("populations", "survival_time", {**HARSH, "punishers": "text"})
    together = {name: level for name, level in HARSH.items() if name != "punishers"}
    assert one.shape == (20,)
    all_of_them = results.runs("populations", "survival_time", together)
    assert all_of_them.tolist() == [*one.tolist(), *both.tolist()]


def test_courses_are_round_by_round_and_end_with_the_village(results: Evidence) -> None:
    survival = results.runs("populations", "survival_time", HARSH)
    course = results.rounds("populations", "efficiency", HARSH)
    assert len(course) == 20
    assert (~np.isnan(course)).sum(1).tolist() == survival.astype(int).tolist()


def test_p_values_of_a_claim_are_corrected_by_holm(results: Evidence) -> None:
    """Of two tests the smaller p is doubled, and the larger is not."""
    pairs = {"much": (LUCK + 0.3, 0 * LUCK), "little": (LUCK + 0.1, 0 * LUCK)}
    much, little = results.paired(pairs)
    alone = [results.paired({name: pair})[0] for name, pair in pairs.items()]
    assert much.p == 2 * alone[0].p
    assert little.p == alone[1].p


def test_intervals_are_widened_for_as_many_comparisons(results: Evidence) -> None:
    """By Bonferroni: two of 97.5 %, which is 2.31 standard errors for 50 pairs."""
    pairs = {"much": (LUCK + 0.3, 0 * LUCK), "little": (LUCK + 0.1, 0 * LUCK)}
    much, _ = results.paired(pairs)
    (alone,) = results.paired({"much": pairs["much"]})
    error = LUCK.std(ddof=1) / np.sqrt(50)
    assert (alone.high - alone.difference) / error == pytest.approx(2.01, abs=0.005)
    assert (much.high - much.difference) / error == pytest.approx(2.31, abs=0.005)


def test_what_cannot_be_tested_is_no_part_of_the_correction(results: Evidence) -> None:
    much = (LUCK + 0.3, 0 * LUCK)
    found = results.paired({"same": (LUCK, LUCK), "much": much})
    (alone,) = results.paired({"much": much})
    assert found[0].holds is None
    assert found[0].untestable == (
        "all 50 pairs differ by 0; without spread their mean has no interval and no test"
    )
    assert found[1].p == alone.p


@pytest.mark.parametrize(
    ("measure", "levels", "words"),
    [
        ("happiness", {}, "no run of populations has happiness"),
        ("survival_time", {"lake": "dry"}, "populations has no condition with {'lake': 'dry'}"),
    ],
)
def test_what_was_not_measured_or_not_planned_cannot_be_told(
    results: Evidence, measure: str, levels: dict[str, object], words: str
) -> None:
    with pytest.raises(InsufficientEvidence) as untestable:
        results.runs("populations", measure, levels)
    assert str(untestable.value) == words


def test_the_same_command_plays_nothing_again(run: ReproductionRun) -> None:
    before = {part.file: part.file.stat().st_mtime_ns for part in run.parts}
    with local_processes(1) as cluster:
        ended = ReproductionRun(small(), run.out).play(cluster, NoProgress(), None)
    assert [done.status for done in ended.values()] == ["finished"] * 12
    assert {part.file: part.file.stat().st_mtime_ns for part in run.parts} == before


def test_runs_of_another_experiment_are_refused_before_anything_is_played(tmp_path: Path) -> None:
    """Those of the last experiment: the first is not begun."""

    def twice(**last: Any) -> Reproduction:
        trials = [
            Trial(
                name=name,
                file="village_populations",
                title=name,
                instead=SMALL | {"replicates": 2} | more,
            )
            for name, more in (("first", {}), ("last", last))
        ]
        return Reproduction("twice", "Nobody 2026", ReproductionDesign(tuple(trials)))

    with local_processes(1) as cluster:
        ReproductionRun(twice(), tmp_path).play(cluster, NoProgress(), None)
        for file in (tmp_path / "first").iterdir():
            file.unlink()
        with pytest.raises(RunFileError, match="played from another experiment"):
            ReproductionRun(twice(rounds=50), tmp_path).play(cluster, NoProgress(), None)
    assert list((tmp_path / "first").iterdir()) == []


class Dry(NamedTuple):
    """A dry run by the command line: its exit code, what it printed, its page as text."""

    code: int
    said: dict[str, Any]
    html: str

    @property
    def text(self) -> str:
        return " ".join(
            unescape(re.sub(r"<(style|svg).*?</\1>|<[^>]+>", " ", self.html, flags=re.S)).split()
        )


@pytest.fixture(scope="module")
def dry(tmp_path_factory: pytest.TempPathFactory) -> Dry:
    """`society reproduce village --quick --model offline`."""
    out = tmp_path_factory.mktemp("dry")
    words = ["reproduce", "village", "--quick", "--model", "offline", "--json", "--quiet"]
    with pytest.MonkeyPatch.context() as patch:
        printed: list[str] = []
        patch.setattr("builtins.print", lambda *words, **_: printed.append(" ".join(words)))
        code = main([*words, "--out", str(out)])
    said = json.loads(printed[0])
    return Dry(code, said, Path(said["report"]).read_text("utf-8"))


def test_a_dry_run_plays_everything_and_tells_nothing(dry: Dry) -> None:
    assert dry.code == 0
    verdicts = dry.said["verdicts"]
    assert len(verdicts) > 15
    assert {one["outcome"] for one in verdicts} == {"cannot be told"}
    assert {one["notes"].partition(";")[0] for one in verdicts} == {
        "the offline mind is no language model"
    }


def test_json_has_findings_on_claims(dry: Dry) -> None:
    first = dry.said["findings"][0]
    assert re.fullmatch(
        r"0 of \d+ claims of the paper could be judged: \d+ cannot be told\.", first["sentence"]
    )
    assert first["basis"]["test"] == "judges of claims"


def test_the_page_of_a_dry_run_says_so_before_anything_else(dry: Dry) -> None:
    assert re.search("<h1>DRY RUN of village: Gupta et al. 2026", dry.html)
    counted = re.search(r"Of \d+ claims of the", dry.text)
    assert counted is not None
    begin = counted.start()
    assert "DRY RUN: the offline mind is no language model." in dry.text[:begin]
    assert "Quick: fewer and shorter runs than without --quick" in dry.text[:begin]
    assert "96 runs in 48 conditions with offline" in dry.text[:begin]


def test_the_page_sets_the_papers_numbers_beside_ours(dry: Dry) -> None:
    assert "F(6, 189) = 2.37, p = 0.031, eta squared 0.06 (the paper, Table 1)" in dry.text
    assert "t(898) = -2.78, p = 0.006" in dry.text
    assert "part against whole, which is no valid test" in dry.text


def test_the_page_says_how_claims_are_judged_below_them(dry: Dry) -> None:
    end = dry.text.rindex("Effects by reading")
    for words in (
        "corrected by Holm over all comparisons of a claim",
        "Else it is not shown with so few runs",
        "in part: some hold, and others do not or are not shown",
        "a run that reaches round 50, the last one, counts with 50",
    ):
        assert words in dry.text[:end]


def test_what_is_asked_of_models_is_kept_as_files_that_can_be_planned(dry: Dry) -> None:
    out = Path(dry.said["out"])
    for name, conditions in (("models", 6), ("ablations", 18)):
        read = read_experiment(out / f"{name}.yaml")
        assert read.levels["model"] == ("offline",)
        assert len(read.conditions) == conditions
        assert {one.setup.replicates for one in read.conditions} == {2}


def test_the_ablations_are_shown_beside_the_villages_with_both_channels(dry: Dry) -> None:
    out = Path(dry.said["report"]).parent
    table = (out / "tables" / "ablations-outcome.csv").read_text("utf-8")
    assert {line.split(",")[0] for line in table.splitlines()[1:]} == {
        "full",
        "only_social_learning",
        "only_group_decision",
        "neither",
    }


def test_the_page_shows_each_experiment_and_no_id_twice(dry: Dry) -> None:
    assert "Figs 5, 6, 14 and 16: models, lakes and populations" in dry.text
    assert "Figs 7 and 13: without imitation or a common policy, beside villages with" in dry.text
    ids = re.findall(r'\bid="([^"]+)"', dry.html)
    assert len(ids) == len(set(ids))


def test_the_figures_and_tables_of_all_experiments_are_files(dry: Dry) -> None:
    out = Path(dry.said["report"]).parent
    assert (out / "tables" / "claims.csv").exists()
    figures = {file.name for file in (out / "figures").glob("*.svg")}
    own = {"claims.svg", *(f"figure-{number}.svg" for number in (5, 6, 7, 14, 15))}
    assert own <= figures
    assert {name.partition("-")[0] for name in figures - own} == {"models", "ablations"}


def test_a_budget_holds_over_all_experiments_together(
    provider: Provider, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two experiments, each of which alone would have used it up; the page shows what there is."""
    words = ["reproduce", "village", "--quick", "--model", "one", "--api-base", provider.url]
    words += ["--out", str(tmp_path), "--json"]
    assert main([*words, "--max-calls", "50"]) == 3
    out, err = capsys.readouterr()
    said = json.loads(out)
    assert "--max-calls: 50 of 50 used" in err
    assert provider.stats()["count"] == 50
    assert said["spent"]["calls"] == 50
    assert {one["outcome"] for one in said["verdicts"]} == {"cannot be told"}
    assert main([*words, "--max-calls", "60"]) == 3
    assert provider.stats()["count"] == 60


def test_a_paper_that_is_not_there_is_the_users_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "vilage"]) == 2
    assert capsys.readouterr().err == (
        "society: there is no reproduction 'vilage'; did you mean 'village'?\n"
    )


def test_headings_of_an_experiment_stand_below_those_of_its_chapters(dry: Dry) -> None:
    depths = [int(depth) for depth in re.findall(r"<h([1-6])", dry.html)]
    assert {4} <= set(depths), "figures beyond the third are one deeper, as they are folded"
    assert all(deeper <= one + 1 for one, deeper in pairwise(depths))
