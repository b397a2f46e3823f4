"""The names that a program may use: all that is not listed here is refused by name.

Lists say what is allowed, never what is forbidden. The exceptions are NEVER and NEVER_OF_ARRAYS:
names that reach files, memory, frames or settings of the whole process, and that no option can
open.
"""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """Return the words of a text: a list of names that is read as one."""
    return frozenset(text.split())


BUILTINS = words("""
    ArithmeticError AssertionError AttributeError Exception False FloatingPointError IndexError
    KeyError LookupError None NotImplementedError OverflowError RuntimeError StopIteration True
    TypeError ValueError ZeroDivisionError abs all any bool callable chr dict divmod enumerate
    filter float frozenset getattr hasattr hash id int isinstance issubclass iter len list map max
    min next ord pow print property range reversed round set slice sorted staticmethod str sum
    super tuple zip NotImplemented
    """)
EXCEPTIONS = frozenset(name for name in BUILTINS if name.endswith(("Error", "Exception"))) | {
    "StopIteration"
}

MATH = words("""
    acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist e erf erfc
    exp exp2 expm1 fabs factorial floor fmod frexp fsum gamma gcd hypot inf isclose isfinite isinf
    isnan isqrt lcm ldexp lgamma log log10 log1p log2 modf nan nextafter perm pi pow prod radians
    remainder sin sinh sqrt tan tanh tau trunc ulp
    """)

RANDOM = words("""
    Random betavariate choice choices expovariate gammavariate gauss getrandbits lognormvariate
    normalvariate paretovariate randint random randrange sample seed shuffle triangular uniform
    vonmisesvariate weibullvariate
    """)

NUMPY_RANDOM = words("""
    RandomState beta binomial chisquare choice default_rng dirichlet exponential gamma geometric
    gumbel integers laplace logistic lognormal multinomial normal pareto permutation poisson power
    rand randint randn random random_sample rayleigh sample seed shuffle standard_exponential
    standard_gamma standard_normal triangular uniform vonmises weibull
    """)

NUMPY_LINALG = words("det eigvals inv lstsq matrix_power matrix_rank norm solve")

NUMPY = words("""
    False_ True_ abs absolute acos acosh add all allclose amax amin angle any append
    apply_along_axis arange arccos arccosh arcsin arcsinh arctan arctan2 arctanh argmax argmin
    argpartition argsort argwhere around array array_equal array_equiv array_split asarray
    asin asinh atan atan2 atanh atleast_1d atleast_2d atleast_3d average bincount bitwise_and
    bitwise_count bitwise_invert bitwise_not bitwise_or bitwise_xor bool bool_ broadcast_arrays
    broadcast_shapes broadcast_to cbrt ceil choose clip column_stack compress concat concatenate
    conj convolve copy copysign copyto corrcoef correlate cos cosh count_nonzero cov cross cumprod
    cumsum cumulative_prod cumulative_sum deg2rad degrees delete diag diag_indices diagflat diagonal
    diff digitize divide divmod dot double dsplit dstack e ediff1d einsum empty empty_like equal exp
    exp2 expand_dims expm1 extract eye fabs fill_diagonal finfo fix flatnonzero flip fliplr flipud
    float16 float32 float64 float_power floating floor floor_divide fmax fmin fmod frexp
    full full_like gcd generic geomspace gradient greater greater_equal heaviside histogram
    histogram_bin_edges hsplit hstack hypot identity iinfo imag indices inexact inf inner insert
    int16 int32 int64 int8 int_ intc integer interp intersect1d invert isclose isfinite isin isinf
    isnan isneginf isposinf isreal isscalar issubdtype ix_ kron lcm less less_equal lexsort
    linspace log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or
    logical_xor logspace matmul max maximum mean median meshgrid min minimum mod modf moveaxis
    multiply nan nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin
    nanpercentile nanprod nanquantile nanstd nansum nanvar ndarray ndim negative newaxis nextafter
    nonzero not_equal number ones ones_like outer pad partition percentile permute_dims pi piecewise
    place polyfit polyval positive power prod ptp put put_along_axis putmask quantile rad2deg
    radians ravel ravel_multi_index real reciprocal remainder repeat reshape resize rint roll
    rollaxis rot90 round searchsorted select setdiff1d setxor1d shape sign signbit signedinteger
    sin sinc sinh size sort sqrt square squeeze stack std subtract sum swapaxes take
    take_along_axis tan tanh tensordot tile trace transpose trapezoid tri tril tril_indices
    trim_zeros triu triu_indices true_divide trunc ufunc uint16 uint32 uint64 uint8 unique
    unravel_index unsignedinteger unwrap vander var vdot vsplit vstack where zeros zeros_like
    """)

NEVER = words("""
    DataSource array2string array_repr array_str asarray_chkfinite asmatrix bmat busdaycalendar
    bytes_ character core ctypeslib deprecate distutils dtype dtypes emath errstate exceptions f2py
    fft flatiter from_dlpack frombuffer fromfile fromfunction frompyfunc fromregex fromstring
    genfromtxt get_include get_printoptions getbufsize geterr geterrcall info lib load loadtxt ma
    mat matlib matrix may_share_memory memmap mgrid nditer ndenumerate nested_iters object_ ogrid
    packbits polynomial printoptions r_ rec recarray record require save savetxt savez
    savez_compressed set_printoptions setbufsize seterr seterrcall shares_memory show_config
    show_runtime str_ strings test testing typing unpackbits vectorize void
    """)

# Those that make a number, or an array, of what they are given.
NUMPY_TYPES = words("""
    bool bool_ double float16 float32 float64 half int16 int32 int64 int8 int_ intc single uint16
    uint32 uint64 uint8
    """)

# Names of dtypes that may be written as text.
DTYPES = words("bool int float int8 int32 int64 uint8 float32 float64 i4 i8 f4 f8")

HISTORY = words("""
    round_number my_actions my_payoffs opponent_cooperators opponent_actions opponent_payoffs
    current_stock stock
    """)
SOURCES = words("my_source opponent_sources")  # of a game whose programs read each other
DESCRIPTION = SOURCES | words("n_players n_rounds k m capacity name game_description")
SIMULATED = words("moves against_moves fallbacks against_fallbacks")  # what `simulate` returns

METHODS = words("""
    C D T accumulate add all any append argmax argmin argpartition argsort as_integer_ratio
    astype bit_count bit_length capitalize choose clear clip compress conj conjugate copy count
    cumprod cumsum diagonal difference difference_update discard dot dtype endswith eps extend fill
    find flat flatten flip get imag index insert intersection isalnum isalpha isdecimal isdigit
    isdisjoint is_integer islower issubset issuperset isupper item items itemsize join keys kind
    lower lstrip max mean min name nbytes ndim nonzero partition pop popitem prod ravel real reduce
    remove
    repeat replace reshape reverse round rstrip searchsorted setdefault shape size sort split
    splitlines squeeze startswith std strip sum swapaxes symmetric_difference take title tiny tolist
    trace transpose union update upper value values var
    """)

# Of arrays: those that reach files or memory, or change an array's form in its place.
NEVER_OF_ARRAYS = words("""
    base byteswap ctypes data dump dumps flags getfield itemset newbyteorder resize setfield
    setflags strides to_device tobytes tofile tostring view
    """)

# Names that the loader supplies, and that may be imported from the modules that define them.
AUTHORS = words("""
    Action BaseStrategy C CollectiveRiskDescription CommonPoolDescription D PlayerHistory
    PublicGoodsDescription
    """)
TYPING = words("""
    Any Callable ClassVar Deque Dict Final FrozenSet Generic Iterable Iterator List Literal Mapping
    Optional Sequence Set Tuple Type TypeAlias Union cast
    """)
IMPORTS: dict[str, frozenset[str]] = {
    "__future__": frozenset({"annotations"}),
    "math": MATH,
    "random": RANDOM,
    "numpy": NUMPY,
    "numpy.random": NUMPY_RANDOM,
    "numpy.typing": frozenset({"ArrayLike", "NDArray"}),
    "dataclasses": frozenset({"dataclass", "field"}),
    "enum": frozenset({"Enum", "IntEnum", "auto"}),
    "typing": TYPING,
    "emergent_llm.players": AUTHORS,
    "emergent_llm.games": AUTHORS,
    "emergent_llm.common": AUTHORS,
}
MODULES = frozenset({"math", "random", "np", "numpy"})

# Classes that are offered for these uses only: as a base, in isinstance, and in annotations.
OFFERED_CLASSES = words("""
    BaseStrategy CollectiveRiskDescription CommonPoolDescription Enum IntEnum PlayerHistory
    PublicGoodsDescription
    """)
OFFERED = (
    BUILTINS
    | MODULES
    | AUTHORS
    | OFFERED_CLASSES
    | TYPING
    | {"ArrayLike", "NDArray", "auto", "dataclass", "field", "simulate"}
)

# Methods with two underscores that a program may define.
SPECIAL_METHODS = frozenset({"__call__", "__init__", "__post_init__"})
