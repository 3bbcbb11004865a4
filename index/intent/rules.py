"""The ordered table of question shapes: the first row that matches wins.

Patterns are matched against the question without accents (é is written e; positions are kept), case ignored unless `cased`. They see
the beginning of a question, `whole` ones all of it (the last line of a stack trace is the one that tells).
A pattern may name the groups `subject` and `other`; otherwise the subject is looked for in what is left of the question. Each row has an
example that only this row answers, and what the example is about.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

SYMBOL, LITERAL, PATTERN, CONSTRUCT, TREE_QUERY, TOPIC, REPORT = (
    "symbol",
    "literal",
    "pattern",
    "construct",
    "tree query",
    "topic",
    "report",
)

# what of all that is found answers the question; "" is everything
TESTS, CALLEES, PATH = "tests", "callees", "path"
SUBTYPES, OVERRIDES, IMPORTERS, WRITERS = "subtypes", "overrides", "importers", "writers"
PLACES_IN_IT, NAMES_IN_IT = "places in it", "names in it"  # of a report: what it points at, what it names

NAME = r"[A-Za-z_$][\w$]{0,99}"
DOT = r"(?:\.|::|#)"
DOTTED = rf"{NAME}(?:{DOT}{NAME}){{0,9}}"
CAMEL = r"(?:[a-z][a-z0-9]*[A-Z][\w$]*|[A-Z][a-z0-9]+[A-Z][\w$]*|[A-Z]{2,}[a-z][\w$]*)"
SNAKE = r"(?:_*[A-Za-z][A-Za-z0-9]*_[\w$]+|_+[A-Za-z][\w$]*)"
FILE_ENDINGS = (
    r"(?:pyi?|[cm]?[jt]sx?|go|rs|java|rb|php|c|h|cc|cpp|hpp|cs|kt|swift|scala|sql|sh|md|rst|toml|ya?ml|json|html?|css|vue|svelte|cfg"
    r"|ini|txt)"
)
# a file, the line of a place in it, or a name in it
FILE = rf"(?:[\w.@+-]+/){{0,20}}[\w@+-][\w.@+-]{{0,99}}\.{FILE_ENDINGS}(?![\w/])(?:::{DOTTED}|:\d{{1,7}})?"
# a name that prose would not hold: CamelCase or snake_case somewhere in it, a capitalised owner (Cart.total), or a call
WRITTEN = (
    rf"(?-i:(?<![\w.$/]){FILE}|(?<![\w.$])(?:(?:{NAME}{DOT}){{0,9}}(?:{CAMEL}|{SNAKE})(?:{DOT}{NAME}){{0,9}}"
    rf"|[A-Z][\w$]*(?:{DOT}{NAME}){{1,9}}|{NAME}(?:(?:::|#){NAME}){{1,9}}|{NAME}(?:{DOT}{NAME}){{0,9}}(?=\(\)))(?![\w$])(?:\(\))?)"
)
# or a name that may be one: all capitals, or a capital in the middle of a sentence
CODELIKE = rf"(?-i:`[^`\n]{{1,200}}`|{WRITTEN}|(?<![\w.$]){NAME}(?:\.{NAME}){{1,9}}|(?<=\s)[A-Z][\w$]+)"
# names of products that look like identifiers in an ordinary sentence
PRODUCTS = (
    r"(?:GitHub|GitLab|JavaScript|TypeScript|PostgreSQL|MySQL|SQLite|GraphQL|OpenAPI|FastAPI|OpenTelemetry|macOS|iOS|PyPI|OAuth|TODOs)\b"
)
# what may stand right before or after the name of a symbol
KINDS = (
    r"(?:class(?:es)?|function|func|method|type|interface|enum|constant|const|variable|var|module|struct|property|symbol|decorator"
    r"|hook|component|handler|fixture)"
)
SORTES = r"(?:classe|fonction|methode|interface|constante|variable|module|type|propriete|symbole)"
PLACES = r"(?:file|module|class|package|folder|directory)"
# the words of an error up to its first value: what follows a quote, a digit or a bracket, or is no word, differs from run to run
MESSAGE = r"[A-Za-z](?:(?!: [^A-Za-z\s])[^'\"0-9(\[{<\n]){4,300}"
THROWN = r"(?:[\w$]+\.)*\w*(?:Error|Exception|Warning|Fault|Panic|Failure|Interrupt|Exit)"
# A report has a first line that is no code and no part of a stack trace, and below it so much text, with five words of prose in a row.
REPORT_FROM = 120  # characters below the title; what is shorter, a stack trace above all, is better looked for as it stands
CODE_LINE = (
    r"(?-i:Traceback \(most|goroutine \d|panic:|Exception in thread|File \"|at \S+ \(|@\w|#include|(?:export|public|private|static|async) "
    r"|(?:def|class|func|function|fn|interface|struct|impl|enum|const|let|var|type|package) [^\n]*[:;{(=]\s*(?:\n|$)"
    r"|import [\w.*{]+(?: as \w+)?;?\s*\n"
    r"|from [\w.]+ import\b|import [^\n]* from [\"'])"
)
# a line that starts so is asked, not quoted from a file
ASKED = (
    r"(?:who|what|where|why|how|which|when|does|do|is|are|can|find|show|explain|search|grep|rg|look|list|get"
    r"|ou|qui|que|quoi|comment|pourquoi|quels?|quelles?|trouve[rz]?|cherche[rz]?|montre[rz]?)\b"
)


REPORT_EXAMPLE = """\
Total of an empty cart is wrong

When a cart has no items, the total that is shown to the customer is that of the cart before.
To see it, make a cart, empty it and ask for its total:

    cart.empty()
    print(cart.total("FR"))

Expected is "0.00", but what is printed is "12.00", as before. It has been so since version 3, on every system that I tried.
"""


@dataclass(frozen=True, slots=True)
class Rule:
    """One shape of a question."""

    name: str
    pattern: str
    intent: str
    confidence: float
    example: str  # only this row answers it
    about: str  # the subject of the example
    subject: str = TOPIC  # what a subject is when nothing in it says otherwise
    cased: bool = False
    wants: str = ""
    whole: bool = False

    @property
    def compiled(self) -> re.Pattern[str]:
        return _compiled(self.pattern, self.cased)


@cache
def _compiled(pattern: str, cased: bool) -> re.Pattern[str]:
    """When a first question is asked: all of them take 40 ms, and a report asks none."""
    return re.compile(pattern, 0 if cased else re.IGNORECASE)


_DEF, _REFS, _IMPACT, _EXACT, _LIKE, _CODE, _PROBLEM = (
    "find_definition",
    "find_references",
    "impact_analysis",
    "exact_match",
    "find_similar",
    "understand_code",
    "locate_problem",
)
# the words of one thing done, with every ending
_USES = (
    r"(?:calls?|calling|uses?|using|invokes?|invoking|references?|referencing|imports?|importing|extends?|overrides?|implements?"
    r"|inherits? from|derives? from|subclass(?:es)?|instantiates?|constructs?)"
)
_USED = r"(?:used|called|referenced|imported|invoked|instantiated|subclassed|overridden)"
_TOUCHES = r"(?:sets?|reads?|writes?(?: to)?|assigns?(?: to)?|mutates?|modif(?:y|ies)|creates?|passes|catches|throws|raises)"
_TOUCHED = r"(?:set|read|written|assigned|mutated|modified|created|passed|constructed|initiali[sz]ed|raised|thrown|caught)"
_CHANGE = r"(?:change|rename|remove|delete|modify|edit|move|drop|refactor|touch|deprecate|break)"
_UTILISE = r"(?:appelle(?:nt)?|utilise(?:nt)?|invoque(?:nt)?|importe(?:nt)?|reference(?:nt)?|(?:se sert|se servent|herite(?:nt)?) de)"
_UTILISEE = r"(?:utilise|appele|importe|reference|instancie|invoque|cree|herite)e?s?\b"
_CHANGER = r"(?:modifier|changer|renommer|supprimer|retirer|deplacer|enlever)"
_DE = r"(?:de la|de l'|de|du|des|d')"
_REACH = (
    r"(?:reach(?:es)?|get(?:s)? to|end(?:s)? up (?:in|at|calling)|lead(?:s)? to|arrive(?:s)? at|(?:ever |actually "
    r"|indirectly )?calls?|ever use)"
)
_PRONOUN = r"(?:we|you|i|it|they|this|that|anyone|someone|the|on|nous|il|elle|ca|le|la|les|un|une)\b"
_ENDPOINT = rf"(?!{_PRONOUN})`?(?:{FILE}|{DOTTED})(?:\(\))?`?"
_ALL = (
    r"(?:(?:find|show|list|give|get|see|which|what|all|any|every|me|of|the|trouve[rz]?|cherche[rz]?|montre[rz]?|liste[rz]?|toutes?"
    r"|les|quelles?|quels?|des)[ -])*"
)

RULES = (
    # a whole issue, pasted: before all else, because somewhere in it stands whatever the other rows look for
    Rule(
        "report of a problem",
        rf"\A\s*(?=\S)(?!{CODE_LINE})(?!{THROWN}: [^\n]*\n\s*at )(?P<subject>(?=[^\n]*[A-Za-z]{{2}})[^\n]{{2,300}})\n"
        rf"(?=[\s\S]{{{REPORT_FROM}}})"
        rf"(?=[\s\S]*?\b(?:[a-z][a-z'’]{{0,30}},? ){{4}}[a-z])",
        _PROBLEM,
        0.80,
        REPORT_EXAMPLE,
        "Total of an empty cart is wrong",
        REPORT,
        whole=True,
    ),
    # 0. not a sentence: a query over syntax trees, a regular expression
    Rule(
        "tree query",
        r"^\s*(?P<subject>[(\[][\s([]*[a-z_]+[\s\S]*@[\w.]+[\s\S]*)$",
        _DEF,
        0.95,
        "(class_definition name: (identifier) @name)",
        "(class_definition name: (identifier) @name)",
        TREE_QUERY,
        whole=True,
    ),
    Rule(
        "regular expression",
        r"^\s*(?:(?:find|search|search for|grep|match|matching|regex|regexp|trouve|cherche)\s+)?(?P<subject>/(?:\\."
        r"|[^/\\\n])+/[iw]{0,2})\s*$",
        _EXACT,
        0.90,
        "/total\\(\\w+\\)/",
        "total\\(\\w+\\)",
        PATTERN,
    ),
    Rule(
        "regex X",
        r"^\s*(?:regexp?|regular expression|expression reguliere)\s*:?\s+(?P<subject>\S.*)$",
        _EXACT,
        0.90,
        "regex rate$",
        "rate$",
        PATTERN,
    ),
    # 1. the start of a definition, as it stands in code
    Rule(
        "definition keyword",
        r"^\s*(?:(?:export|default|public|pub|private|protected|static|abstract|async|final|sealed|inline|virtual|override)\s+)*"
        r"(?:def|class|func|function|fn|interface|struct|trait|enum|impl(?:\s+[\w<>]+\s+for)?)\s+(?:\([^)]*\)\s*)?"
        rf"(?!(?:that|which|who|whose|to|for|with|like|in|of|is|are|and|or|names?|called|qui|pour|de|des|avec"
        rf"|comme)\b)(?P<subject>{DOTTED})",
        _DEF,
        0.95,
        "def rate(country):",
        "rate",
        SYMBOL,
    ),
    Rule(
        "import keyword",
        rf"^\s*(?:from\s+[\w.]+\s+)?import\s+(?:type\s+)?(?:\*\s+as\s+|\{{\s*)?(?P<subject>{DOTTED})",
        _DEF,
        0.95,
        "import shop.tax",
        "shop.tax",
        SYMBOL,
    ),
    Rule(
        "binding keyword",
        rf"^\s*(?:export\s+)?(?:declare\s+)?(?:const|let|var|val|type)\s+[{{\[]?\s*(?P<subject>{NAME})[^=\n]{{0,80}}=",
        _DEF,
        0.90,
        "const total = sum(prices)",
        "total",
        SYMBOL,
        cased=True,
    ),
    Rule(
        "method with modifiers",
        rf"^\s*(?:(?:public|private|protected|static|final|abstract|synchronized"
        rf"|override)\s+)+(?:[\w<>\[\],.?]+\s+)?(?P<subject>{NAME})\s*\(",
        _DEF,
        0.90,
        "public static Money total(Cart cart)",
        "total",
        SYMBOL,
        cased=True,
    ),
    Rule("decorator", rf"^\s*@(?P<subject>{DOTTED})(?:\(.*)?$", _DEF, 0.80, "@shop.command(name='pay')", "shop.command", SYMBOL),
    # a place, as stack traces and test runners write it
    Rule(
        "frame of a traceback",
        r"^\s*File \"/?(?P<subject>[^\"\n]{1,300}\", line \d{1,7})[^\n]*(?:\n\s+[^\n]*)?$",
        _DEF,
        0.90,
        'File "shop/tax.py", line 12, in rate',
        "shop/tax.py:12",
        SYMBOL,
        cased=True,
    ),
    Rule(
        "frame of a stack trace",
        rf"^\s*at (?:[^\n(]{{1,200}} \()?(?:file://)?/?(?P<subject>{FILE})(?::\d+)?\)?\s*$",
        _DEF,
        0.90,
        "at Cart.total (src/cart.ts:10:5)",
        "src/cart.ts:10",
        SYMBOL,
        cased=True,
    ),
    Rule(
        "traceback with its error",
        rf"(?:^|\n)\s*traceback \(most recent call last\):[\s\S]*\n\s*(?:{THROWN}|[\w.]+): (?:\[[^\]\n]*\] ?)?(?P<subject>{MESSAGE})",
        _EXACT,
        0.90,
        'Traceback (most recent call last):\n  File "a.py", line 3, in b\nKeyError: no such country',
        "no such country",
        LITERAL,
        whole=True,
    ),
    Rule(
        "panic",
        rf"(?:\bpanicked at '(?P<rust>[^'\n]{{2,300}})'|(?:^|\n)\s*panic: (?P<go>(?:runtime error: )?{MESSAGE}))",
        _EXACT,
        0.90,
        "panic: no such country\ngoroutine 1 [running]",
        "no such country",
        LITERAL,
        whole=True,
    ),
    Rule(
        "error of a stack trace",
        rf"^(?:[^\n]{{0,120}}?[\s\"])?{THROWN}: (?P<subject>{MESSAGE})[^\n]*\n\s*at ",
        _EXACT,
        0.90,
        "CartError: no such country 'XX'\n    at total (src/cart.ts:4:2)",
        "no such country",
        LITERAL,
        cased=True,
        whole=True,
    ),
    # code by what it is made of
    Rule(
        "code that does X",
        rf"^\s*{_ALL}(?P<subject>(?:(?:async|static|abstract|generator|test|private|public)\s+)*"
        r"(?:functions?|methods?|classes|generators?|coroutines?|fonctions?|methodes?"
        r"|generateurs?)(?:\s+async(?:hrones?)?)?\s+(?:(?:that|which|who|qui)\s+)?"
        r"(?:catch(?:es)?|raises?|throws?|yields?|awaits?|returns?|named|called|decorated (?:with|by)|with (?:a |an )?(?:parameter"
        r"|argument|method|attribute)(?:s)? (?:named|called)?"
        r"|attrapent|levent|lancent|renvoient|nommee?s|decoree?s (?:avec|par))\s*"
        rf"`?(?!(?:an?|the|by|in|from|les?|la|une?|des|par|dans)\b)[\w$.*]{{1,100}}`?)(?:\s+(?:in|dans|under)\s+\S+)?\s*\??\s*$",
        _DEF,
        0.85,
        "async functions that catch KeyError",
        "async functions that catch KeyError",
        CONSTRUCT,
    ),
    Rule(
        "code of a kind",
        rf"^\s*{_ALL}(?P<subject>(?:async|abstract|generator|static) (?:functions|methods|classes))(?:\s+(?:in|of|dans"
        rf"|under)\s+\S+)?\s*\??\s*$",
        _DEF,
        0.85,
        "all async functions in shop/pay.py",
        "async functions",
        CONSTRUCT,
    ),
    # from one symbol to another
    Rule(
        "how does A reach B",
        rf"^\s*(?:how |where |why )?(?:can|could|does|do|did|will) (?P<subject>{_ENDPOINT}) {_REACH} (?P<other>{_ENDPOINT})\s*\??\s*$",
        _IMPACT,
        0.90,
        "how does checkout reach rate?",
        "checkout",
        SYMBOL,
        wants=PATH,
    ),
    Rule(
        "path from A to B",
        rf"\b(?:paths?|way|route|call chain|chain"
        rf"|call path)s?(?: of calls)? from (?P<subject>{_ENDPOINT}) to (?P<other>{_ENDPOINT})\s*\??\s*$",
        _IMPACT,
        0.90,
        "is there a path from checkout to rate?",
        "checkout",
        SYMBOL,
        wants=PATH,
    ),
    Rule(
        "comment A atteint B",
        rf"\b(?:comment|est-ce que) (?P<subject>{_ENDPOINT}) (?:atteint|appelle|arrive a|mene a|aboutit a)(?:-t)?(?:-il"
        rf"|-elle)? (?P<other>{_ENDPOINT})\s*\??\s*$",
        _IMPACT,
        0.90,
        "comment commander atteint-il taux ?",
        "commander",
        SYMBOL,
        wants=PATH,
    ),
    Rule(
        "chemin de A à B",
        rf"\b(?:chemins?|chaine d'appels?) (?:de |d')(?P<subject>{_ENDPOINT}) (?:a|vers|jusqu'a) (?P<other>{_ENDPOINT})\s*\??\s*$",
        _IMPACT,
        0.90,
        "chemin de commander à taux",
        "commander",
        SYMBOL,
        wants=PATH,
    ),
    # 2. who uses it, and what it uses
    Rule(
        "what does X call",
        r"\b(?:what|which (?:\w+ ){1,3})\s*(?:does|do|did) (?P<subject>.{1,120}?) (?:calls?|use|uses|import|imports|invoke"
        r"|depend on|rely on|need)\s*\??\s*$"
        r"|\b(?:callees|dependencies|imports) of\b|\b(?:is|are) (?:called|used|imported|invoked) (?:by|from|in)\b(?!\s*\??\s*$)",
        _REFS,
        0.90,
        "what does Cart.total call?",
        "Cart.total",
        SYMBOL,
        wants=CALLEES,
    ),
    Rule(
        "que appelle X",
        rf"\b(?:que |qu'|de quoi |quelles? \w+ )(?:appelle|utilise|importe|depend)(?:-t-il|-t-elle)? (?P<subject>{_ENDPOINT})\s*\??\s*$"
        rf"|\b(?:est|sont) (?:appele|utilise|importe)e?s? par\b|\bdependances {_DE}",
        _REFS,
        0.90,
        "quelles fonctions sont appelées par commander ?",
        "commander",
        SYMBOL,
        wants=CALLEES,
    ),
    Rule(
        "who extends X",
        r"\b(?:who|what|which (?:[\w-]+ ){0,3}?|what (?!is |are |does |do )\w+ )\s*(?:all )?(?:extends?|implements?|inherits? from"
        r"|derives? from|subclass(?:es)?)\b"
        r"|\b(?:subclass(?:es)?|subtypes|implementations|implementors|children) (?:of|for)\b",
        _REFS,
        0.90,
        "which classes extend Cart?",
        "Cart",
        SYMBOL,
        wants=SUBTYPES,
    ),
    Rule(
        "qui hérite de X",
        r"\b(?:qui|quelles? \w+|quels? \w+)\s+(?:herite(?:nt)? (?:de|du|d')|implemente(?:nt)?|etend(?:ent)?)|\bsous-classes? (?:de|du"
        r"|d')",
        _REFS,
        0.90,
        "quelles classes héritent de Panier ?",
        "Panier",
        SYMBOL,
        wants=SUBTYPES,
    ),
    Rule(
        "who overrides X",
        r"\b(?:who|what|which \w+)\s*(?:all )?overrides?\b|\boverrides of\b",
        _REFS,
        0.90,
        "what overrides Cart.total?",
        "Cart.total",
        SYMBOL,
        wants=OVERRIDES,
    ),
    Rule(
        "qui redéfinit X",
        r"\b(?:qui|quelles? \w+|quels? \w+)\s+(?:redefini(?:t|ssent)|surcharge(?:nt)?)\b|\b(?:redefinitions?|surcharges) (?:de|du|d')",
        _REFS,
        0.90,
        "quelles méthodes redéfinissent Panier.total ?",
        "Panier.total",
        SYMBOL,
        wants=OVERRIDES,
    ),
    Rule(
        "who imports X",
        r"\b(?:who|what|which \w+|qui|quels? \w+)\s*(?:all )?import(?:s|e|ent)?\b|\bimporters of\b|\bwhere (?:is"
        r"|are) (?P<subject>.{1,120}?) imported\b",
        _REFS,
        0.90,
        "who imports shop.tax?",
        "shop.tax",
        SYMBOL,
        wants=IMPORTERS,
    ),
    Rule(
        "who writes X",
        rf"\b(?:who|what|which (?:\w+ ){{0,3}}?)\s*(?:sets?|writes?(?: to)?|assigns?(?: to)?|mutates?|modif(?:y"
        rf"|ies)) (?P<subject>{CODELIKE})"
        rf"|\bwhere(?: is|'s| are| does)? (?:the )?(?P<named>{CODELIKE}) (?:is |are |being |get |gets )?(?:set|written|assigned|mutated"
        rf"|modified)\b",
        _REFS,
        0.90,
        "who sets Cart.country?",
        "Cart.country",
        SYMBOL,
        cased=True,
        wants=WRITERS,
    ),
    Rule(
        "who calls",
        rf"\b(?:(?:who|what)(?:'s)?|which (?:[\w-]+ ){{0,3}}?|what (?!is |are |does |do |did |the ){NAME} )\s*(?:is |are |else "
        rf"|still |ever |actually )*(?:all )?{_USES}\b",
        _REFS,
        0.90,
        "who calls `Cart.total`?",
        "Cart.total",
        SYMBOL,
    ),
    Rule(
        "who reads X",
        rf"\b(?:who|what|which (?:\w+ ){{0,3}}?)\s*(?:is |are |else |still )*{_TOUCHES} (?P<subject>{CODELIKE})",
        _REFS,
        0.90,
        "who reads Cart.country?",
        "Cart.country",
        SYMBOL,
        cased=True,
    ),
    Rule(
        "everything that calls X",
        rf"\b(?:everything|anything|everyone|everybody|anyone|anybody|something|someone|somebody|everywhere|every place|places?|code"
        rf"|all)\b(?: else)?(?: that"
        rf"| which| who| where| in)?"
        rf"(?: we| you| they)? (?:still |ever |also )?{_USES}\b",
        _REFS,
        0.90,
        "does anyone still call old_rate?",
        "old_rate",
        SYMBOL,
    ),
    Rule(
        "usages of",
        r"\b(?:usages?|uses|callers?|call sites?|calls|importers|subclass(?:es)?|subtypes|implementations|implementors|overrides"
        r"|instances) (?:of|for)\b",
        _REFS,
        0.90,
        "all usages of parse_config",
        "parse_config",
        SYMBOL,
    ),
    Rule("references to", r"\b(?:references? (?:to|for|of)|calls to)\b", _REFS, 0.90, "references to Cart", "Cart", SYMBOL),
    Rule(
        "usages X",
        rf"^\s*{_ALL}(?:usages?|references?|callers?|call sites?|subclasses)\s+(?P<subject>{CODELIKE})\s*$",
        _REFS,
        0.90,
        "usages parse_config",
        "parse_config",
        SYMBOL,
        cased=True,
    ),
    Rule(
        "where is X used",
        rf"\bwhere(?: is|'s| are| do we| does(?: anyone)?|) (?P<subject>.{{1,120}}?) (?:being |get |gets )?{_USED}\b",
        _REFS,
        0.90,
        "where is the rate function used?",
        "rate",
        SYMBOL,
    ),
    Rule(
        "where is X set",
        rf"\bwhere(?: is|'s| are| does)? (?:the )?(?P<subject>{CODELIKE}) (?:is |are |being |get |gets )?{_TOUCHED}\b",
        _REFS,
        0.90,
        "where is self.country passed?",
        "self.country",
        SYMBOL,
        cased=True,
    ),
    Rule(
        "everywhere X is used",
        rf"\b(?:everywhere|every place|all places|how (?:often|many times))(?: where| in which)? (?P<a>.{{1,120}}? )?(?:is"
        rf"|are) (?P<subject>.{{0,120}}?)\s*{_USED}\b",
        _REFS,
        0.90,
        "how often is rate called?",
        "rate",
        SYMBOL,
    ),
    Rule(
        "X callers",
        rf"(?P<subject>{WRITTEN}|`[^`\n]+`) (?:callers?|usages?|references?|call sites?|subclasses)\b",
        _REFS,
        0.90,
        "list Cart.total callers",
        "Cart.total",
        SYMBOL,
        cased=True,
    ),
    Rule(
        "is X used",
        rf"\b(?:is|are) (?P<subject>.{{1,120}}?) (?:ever |still |even )?{_USED}\b",
        _REFS,
        0.90,
        "is old_rate still used anywhere?",
        "old_rate",
        SYMBOL,
    ),
    Rule(
        "where do we use X",
        r"\bwhere (?:do we|is it that we|do you|we|does (?:the |our )?\w+) "
        r"(?:use|call|import|invoke|instantiate|raise|throw|catch)\b(?! [\"'“«])",
        _REFS,
        0.90,
        "where do we call rate?",
        "rate",
        SYMBOL,
    ),
    Rule(
        "where do we create X instances",
        rf"\bwhere (?:do we|do you|does (?:the |our )?\w+|are) (?:{_TOUCHES} )?(?:new |an? "
        rf"|the )?(?:instances? of (?P<after>{CODELIKE})|(?P<subject>{CODELIKE}) (?:instances?|objects?))",
        _REFS,
        0.90,
        "where do we create Cart objects?",
        "Cart",
        SYMBOL,
        cased=True,
    ),
    Rule(
        "qui appelle",
        rf"\b(?:qui|qu'est-ce qui|quelles? \w+|quels? \w+)\s+{_UTILISE}\b",
        _REFS,
        0.90,
        "qui appelle Panier.total ?",
        "Panier.total",
        SYMBOL,
    ),
    Rule(
        "usages de",
        r"\b(?:usages?|utilisations?|appelants?|appels?|references?|sous-classes?|implementations?) (?:de la|de l'|de|du|des|d'|a la"
        r"|a l'|a|au"
        r"|aux)\s?(?![\w])|\b(?:usages?|utilisations?|appelants?|appels?|references?|sous-classes?) (?:de|d'|du|a)\b",
        _REFS,
        0.90,
        "les références à parseConfig",
        "parseConfig",
        SYMBOL,
    ),
    Rule(
        "où est utilisé",
        rf"\bou (?:est|sont)(?:-ce que| ce que)? (?:{_UTILISEE}|(?P<subject>.{{1,120}}?) {_UTILISEE})"
        r"|\bou (?:est-ce qu'on |est-ce que l'on |est-ce que nous )?(?:utilise|appelle|importe|instancie)(?:-t-on|-ton|-t-elle|-t-il"
        r"|ons-nous)?\b",
        _REFS,
        0.90,
        "où est utilisée la fonction taux ?",
        "taux",
        SYMBOL,
    ),
    Rule(
        "X est-il utilisé",
        rf"\best-ce qu(?:e |')(?P<subject>.{{1,120}}?) (?:est|sont) (?:encore |toujours |bien )?{_UTILISEE}"
        rf"|(?P<before>{WRITTEN}|`[^`\n]+`) (?:est|sont)(?:-il|-elle|-ils|-elles)? (?:encore |toujours )?{_UTILISEE}",
        _REFS,
        0.90,
        "est-ce que ancien_taux est encore utilisé ?",
        "ancien_taux",
        SYMBOL,
    ),
    # 3. what a change reaches
    Rule(
        "which tests cover X",
        rf"\b(?:what|which) tests? (?:covers?|tests?|checks?|exercises?|runs?|touch(?:es)?|hits?)\b|\btests? (?:of|for|covering)\b"
        rf"|\b(?:what|which) tests? (?:should|must|do|need|to)\b.{{0,60}}? {_CHANGE}\b|\bis (?P<subject>.{{1,120}}?) (?:tested"
        rf"|covered)\b",
        _IMPACT,
        0.90,
        "which tests cover Cart.total?",
        "Cart.total",
        SYMBOL,
        wants=TESTS,
    ),
    Rule(
        "quels tests couvrent X",
        rf"\bquels? tests? (?:couvre(?:nt)?|teste(?:nt)?|verifie(?:nt)?)\b|\btests? {_DE}(?!\w)",
        _IMPACT,
        0.90,
        "quels tests couvrent Panier.total ?",
        "Panier.total",
        SYMBOL,
        wants=TESTS,
    ),
    Rule(
        "impact",
        r"\b(?:impact(?:s|ed)?|blast radius|ripple effects?)\b(?: (?:analysis|assessment))?(?: (?:of|on|for))?|\baffected by\b"
        r"|\b(?:downstream|dependents) of\b",
        _IMPACT,
        0.90,
        "the blast radius of Cart.total",
        "Cart.total",
        SYMBOL,
    ),
    Rule(
        "what depends on",
        r"\b(?:what|who|which (?:\w+ ){1,4}?|anything|something|everything|nothing|anyone)\s*(?:else )?(?:all )?(?:depend(?:s|ing)?"
        r"|rel(?:y|ies)) (?:up)?on\b",
        _IMPACT,
        0.90,
        "what depends on tax.rate?",
        "tax.rate",
        SYMBOL,
    ),
    Rule(
        "what breaks if",
        r"\bwhat(?:'s)? (?:else )?(?:would |could |will |might |can |may )?(?:(?:breaks?|break|fails?|stops working|go(?:es)? wrong"
        r"|(?:(?:is|gets|be) )?affected)"
        r" (?:if|when|by)|happens? (?:if|when) (?:i|we|you|someone)|(?:needs?|has|have|must) (?:to )?(?:change|be changed|be updated)"
        r"|(?:will|would|do|could|might) (?:i|we) break)\b",
        _IMPACT,
        0.90,
        "what breaks if I rename Cart?",
        "Cart",
        SYMBOL,
    ),
    Rule(
        "if I change X",
        rf"\bif (?:i|we|you|someone) {_CHANGE}d?(?P<subject>.{{1,120}}?),?"
        r" (?:then )?what (?:else )?(?:would |could |will |might )?(?:breaks?|happens?|fails?|is affected)\b",
        _IMPACT,
        0.90,
        "if I delete old_rate what breaks?",
        "old_rate",
        SYMBOL,
    ),
    Rule(
        "si je change X",
        r"\bsi (?:je |j'|on |nous )(?:modifie|change|renomme|supprime|retire|deplace|enleve)s?(?P<subject>.{1,120}?),?"
        r" (?:qu'est-ce qui|qu'est-ce que|que|quoi|quel)\b",
        _IMPACT,
        0.90,
        "si je supprime taux, qu'est-ce qui casse ?",
        "taux",
        SYMBOL,
    ),
    Rule(
        "safe to change",
        rf"\b(?:is it )?safe to {_CHANGE}\b|\b(?:can|may|could|should) (?:i|we) (?:safely |just )?{_CHANGE}\b"
        rf"|\b(?:i|we) (?:want|need|would like|plan|have) to {_CHANGE}\s+(?P<subject>{CODELIKE})",
        _IMPACT,
        0.90,
        "is it safe to delete old_rate?",
        "old_rate",
        SYMBOL,
    ),
    Rule(
        "puis-je changer X",
        rf"\b(?:puis-je|peut-on|pouvons-nous|est-ce qu(?:e |')(?:je |on )(?:peux|peut)) {_CHANGER}\b",
        _IMPACT,
        0.90,
        "puis-je supprimer ancien_taux ?",
        "ancien_taux",
        SYMBOL,
    ),
    Rule(
        "rayon d'impact",
        rf"\brayon d'impact {_DE}|\brayon d'impact\b|\bimpacte(?:e|s|es|nt)?\b|\b(?:l')?impact (?:de|du|d')",
        _IMPACT,
        0.90,
        "quelles fonctions sont impactées par taux ?",
        "taux",
        SYMBOL,
    ),
    Rule(
        "qu'est-ce qui dépend de",
        rf"\b(?:qu'est-ce qui|qui|que|quoi|quels? \w+|quelles? \w+) depend(?:ent)? {_DE}",
        _IMPACT,
        0.90,
        "qu'est-ce qui dépend de Panier ?",
        "Panier",
        SYMBOL,
    ),
    Rule(
        "qu'est-ce qui casse si",
        r"\b(?:qu'est[- ]ce qui|que|qu'est[- ]ce que|quoi|qu'est[- ]ce que ca) (?:va |peut |pourrait )?(?:se )?(?:casse(?:r|rait"
        r"|ra|nt)?|plante(?:r|rait)?|se passe(?:rait)?(?:-t)?(?:-il)?|arrive(?:-t-il)?) (?:si|quand)\b",
        _IMPACT,
        0.90,
        "qu'est-ce qui casse si je modifie parseConfig ?",
        "parseConfig",
        SYMBOL,
    ),
    # 4. exactly this text
    Rule(
        "error message",
        rf"^(?:.{{0,80}}?[\s.])?(?:{THROWN}|(?:[a-z_]\w*\.)+[A-Z]\w+|error|fatal|panic): (?:\[[^\]\n]*\] ?)?(?P<subject>{MESSAGE})",
        _EXACT,
        0.85,
        "ValueError: unknown country code 'XX'",
        "unknown country code",
        LITERAL,
        cased=True,
    ),
    Rule(
        "message of a named failure",
        rf"^\s*[A-Z]+[a-z]\w*[A-Z]\w*: (?=[A-Z])(?P<subject>{MESSAGE})",
        _EXACT,
        0.85,
        "UnknownCountry: No rate for the country 'XX'",
        "No rate for the country",
        LITERAL,
        cased=True,
    ),
    Rule(
        "subject of a commit that is undone",
        r"^\s*(?:revert|reapply) \"(?P<subject>[^\"\n]{1,400})\"",
        _CODE,
        0.75,
        'Revert "Round the total twice"',
        "Round total twice",
    ),
    Rule(
        "line of code",
        rf"^(?!\s*{ASKED})(?P<subject>(?=.* (?:==|!=|===|!==|=|:=|\+=|-=|=>|->|&&|\|\||<=|>=|<<) .|.*[;{{}}]\s*$"
        r"|\s*(?:if|elif|else|except|for|while|with|try|catch|switch|match|case|raise|throw|return|assert)\b.*[:;{]\s*$)\s*\S.*)$",
        _EXACT,
        0.85,
        "total = net * (1 + rate)",
        "total = net * (1 + rate)",
        LITERAL,
        cased=True,
    ),
    Rule(
        "quoted string",
        r"\"(?P<subject>[^\"\n]{1,400})\"(?P<how>[iw]{0,2})(?!\w)",
        _EXACT,
        0.90,
        'find "card declined"',
        "card declined",
        LITERAL,
    ),
    Rule(
        "typographic quotes",
        r"(?:“(?P<subject>[^“”\n]{1,400})”)",
        _EXACT,
        0.90,
        "where is “card declined” raised",
        "card declined",
        LITERAL,
    ),
    Rule("guillemets", r"«(?P<subject>[^«»\n]{1,400})»", _EXACT, 0.90, "trouver « carte refusée »", "carte refusée", LITERAL),
    Rule("single quotes", r"(?<!\w)'(?P<subject>[^'\n]{2,400})'(?!\w)", _EXACT, 0.90, "find 'card declined'", "card declined", LITERAL),
    Rule(
        "find the string",
        r"\b(?:find|search(?: for)?|look for|grep(?: for)?|locate) (?:the |every |all )?(?:exact )?(?:string|text|literal"
        r"|message|phrase)s? (?P<subject>\S.*)$|^\s*(?:grep|rg|ag|ack|git grep) (?:-\w+ )*(?P<rest>\S.*)$",
        _EXACT,
        0.85,
        "search for the text insufficient funds",
        "insufficient funds",
        LITERAL,
    ),
    Rule(
        "trouver la chaîne",
        r"\b(?:trouve[rz]?|cherche[rz]?|recherche[rz]?|localise[rz]?) (?:la |le |les |un |une |l')?(?:chaine|texte"
        r"|message|litteral|phrase)s?(?: exacte?)?(?: de caracteres)? (?P<subject>\S.*)$",
        _EXACT,
        0.85,
        "trouver la chaîne ECONNREFUSED",
        "ECONNREFUSED",
        LITERAL,
    ),
    Rule(
        "error token",
        r"\b(?P<subject>E(?:CONN|ADDR|NOENT|NOTFOUND|NOTDIR|NOSPC|NOMEM|ACCES|AGAIN|EXIST|PERM|PIPE|TIMEDOUT|INVAL|ISDIR|MFILE|NET"
        r"|HOST|SRCH|BUSY|PROTO)[A-Z]*"
        r"|ERR_[A-Z0-9_]+|SIG(?:SEGV|ABRT|KILL|TERM|BUS|FPE|ILL|INT|HUP|PIPE)|TS\d{4}|ORA-\d{5}|E\d{4}|0x[0-9A-Fa-f]{8})\b",
        _EXACT,
        0.85,
        "ECONNREFUSED in the payment worker",
        "ECONNREFUSED",
        LITERAL,
        cased=True,
    ),
    Rule(
        "traceback",
        r"\b(?P<subject>traceback|segmentation fault|segfault|core dumped|stack overflow|out of memory|panicked at)\b",
        _EXACT,
        0.85,
        "traceback in billing",
        "traceback",
        LITERAL,
    ),
    Rule(
        "note to self", r"\b(?P<subject>TODO|FIXME|XXX|HACK)(?:s|\b)", _EXACT, 0.85, "all FIXMEs of billing", "FIXME", LITERAL, cased=True
    ),
    Rule("option", r"(?<!\S)(?P<subject>--[a-z][\w-]+)", _EXACT, 0.85, "where is --dry-run parsed?", "--dry-run", LITERAL),
    # 5. more of the same
    Rule(
        "similar to",
        r"\b(?:(?:similar|analogous|comparable) to|resembl(?:es?|ing))\b|\b(?:code|functions?|classes|methods?|something|examples?"
        r"|anything) (?:that (?:looks?|works?|is|are) )?like\b|\bduplicates? of\b",
        _LIKE,
        0.80,
        "code like Cart.total",
        "Cart.total",
        SYMBOL,
    ),
    Rule(
        "similaire à",
        r"\b(?:similaires?|semblables?|analogues?|comparables?|pareil(?:le)?s?) (?:a la|a l'|a|au|aux)(?!\w)|\b(?:code"
        r"|fonctions?|classes?) comme\b|\bressemble(?:nt)? (?:a|au|aux)\b|\bdoublons? de\b",
        _LIKE,
        0.80,
        "du code qui ressemble à Panier.total",
        "Panier.total",
        SYMBOL,
    ),
    # 6. where it is defined
    Rule(
        "where is X defined",
        r"\bwhere(?: is|'s| are| was| did we| do we| does)? (?!(?:do|did|does) )(?P<subject>.{1,120}?) (?:get |gets )?(?:defined|declared"
        r"|implemented|located|lives?|defines?|declares?)\b|\bwhere (?:do|did|does) (?:we|you|\w+) (?:define|declare|implement)\b",
        _DEF,
        0.90,
        "where is Cart.total defined?",
        "Cart.total",
        SYMBOL,
    ),
    Rule(
        "definition of",
        r"\b(?:definition|declaration|implementation|signature|return type|docstring) (?:of|for)\b"
        r"|\bgo ?to (?:the )?def(?:inition)?\b"
        rf"|\b(?:parameters|arguments|args|source(?: code)?|body|docs|documentation) (?:of|for) (?P<subject>{CODELIKE})",
        _DEF,
        0.90,
        "show me the definition of rate",
        "rate",
        SYMBOL,
    ),
    Rule(
        "which file defines X",
        rf"\b(?:(?:what|which) {PLACES}s? (?:defines?|contains?|declares?|implements?|has|holds?|exports?)|who (?:defines?|declares?"
        rf"|exports?))\b"
        rf"|\b(?:in )?(?:what|which) {PLACES}s? (?:is|are|was) (?P<subject>.{{1,120}}?) (?:defined|declared|implemented|located|in)\b",
        _DEF,
        0.90,
        "which file defines rate?",
        "rate",
        SYMBOL,
    ),
    Rule(
        "what does X take",
        rf"\bwhat(?: (?:arguments?|args|parameters?|params|options|type|value)s?)? (?:does|do|can) (?P<subject>.{{1,120}}?) (?:take"
        rf"|accept|expect|need|return|require)s?\b"
        rf"|\bwhat does (?P<doer>{CODELIKE}) do\b",
        _DEF,
        0.90,
        "what arguments does rate take?",
        "rate",
        SYMBOL,
    ),
    Rule(
        "où est défini",
        r"\bou (?:est|sont|se trouve(?:nt)?)(?:-ce que| ce que)? (?:(?:defini|declare|implemente)[a-z]{0,3}\b"
        r"|(?P<subject>.{1,120}?) (?:defini|declare|implemente)[a-z]{0,3}\b)",
        _DEF,
        0.90,
        "où est défini parseConfig ?",
        "parseConfig",
        SYMBOL,
    ),
    Rule(
        "quel fichier définit X",
        r"\b(?:dans )?quel(?:le)? (?:fichier|module|classe|paquet|dossier) (?:defini[a-z]*|declare|contient|est (?:defini|declare)e?)\b",
        _DEF,
        0.90,
        "dans quel fichier est définie rate ?",
        "rate",
        SYMBOL,
    ),
    Rule(
        "définition de",
        rf"\b(?:definition|declaration|implementation|signature|parametres|arguments|code) {_DE}(?!\w)|\b(?:definition|declaration"
        rf"|implementation|signature|parametres|arguments) (?:de|du|d')\b",
        _DEF,
        0.90,
        "la définition de Panier",
        "Panier",
        SYMBOL,
    ),
    Rule(
        "que renvoie X",
        rf"\b(?:que|qu'est-ce que|quels? \w+|quelles? \w+) (?:renvoie|retourne|prend|prennent|accepte|attend)(?:-t-il"
        rf"|-t-elle)? (?P<subject>{_ENDPOINT})"
        rf"|\b(?:que fait|a quoi sert|c'est quoi|qu'est[- ]ce que?) (?:(?:la |le |l'|une? )?(?:{SORTES} )(?P<named>{_ENDPOINT})"
        rf"|(?:la |le |l')?(?P<written>{WRITTEN}|`[^`\n]+`))",
        _DEF,
        0.85,
        "que renvoie taux ?",
        "taux",
        SYMBOL,
    ),
    Rule(
        "show me the class X",
        rf"^\s*(?:please )?(?:(?:find|show|open|view|display|locate|see|read|get|go ?to|goto|jump to|look at|look up|what is|what's"
        rf"|where is|where's|where are)(?: me)?)"
        rf" (?:the |a |an )?(?:{KINDS} (?:named |called )?(?P<subject>{_ENDPOINT})|(?P<before>{_ENDPOINT}) {KINDS})\s*\??\s*$",
        _DEF,
        0.90,
        "show me the Cart class",
        "Cart",
        SYMBOL,
    ),
    Rule(
        "montre la classe X",
        rf"^\s*(?:(?:trouve[rz]?|montre[rz]?|affiche[rz]?|ouvre[rz]?|cherche[rz]?|ou est|ou se trouve|voir)(?:[- ]moi)?) (?:la |le "
        rf"|l'|une? )?{SORTES} (?P<subject>{_ENDPOINT})\s*\??\s*$",
        _DEF,
        0.90,
        "montre-moi la classe Panier",
        "Panier",
        SYMBOL,
    ),
    # 7. a name that prose would not hold
    Rule(
        "a file, or a place in one",
        rf"^\s*(?:(?:show|open|view|go to|goto|read|what is in|what's in|whats in|montre|ouvre|affiche|que contient)(?: me|-moi"
        rf"| moi)? (?:the file |file |le fichier )?)?`?(?:\./|/)?(?P<subject>{FILE})(?::\d+)?`?\s*\??\s*$",
        _DEF,
        0.85,
        "shop/tax.py:12",
        "shop/tax.py:12",
        SYMBOL,
        cased=True,
    ),
    Rule(
        "one identifier",
        rf"^\s*`?(?P<subject>{WRITTEN}|{NAME}(?:{DOT}{NAME}){{1,9}})`?\s*\??\s*$",
        _DEF,
        0.80,
        "parse_config",
        "parse_config",
        SYMBOL,
        cased=True,
    ),
    Rule(
        "one call",
        rf"^\s*(?:(?:return|await|yield|new|throw|raise|go|defer|\w+ :?=)\s+)*(?P<subject>{DOTTED})\(.*\)[;,)]*\s*$",
        _DEF,
        0.80,
        "await cart.total(country)",
        "cart.total",
        SYMBOL,
        cased=True,
    ),
    Rule(
        "text that is no name",
        r"^\s*`?(?P<subject>(?=\S*[-/%#:@=<>+*\\])(?=\S*[A-Za-z0-9])\S{3,200})`?\s*$",
        _EXACT,
        0.80,
        "X-Cart-Total",
        "X-Cart-Total",
        LITERAL,
    ),
    Rule("identifier in backticks", rf"`{DOTTED}(?:\(\))?`", _DEF, 0.70, "tell me about `rate`", "rate", SYMBOL, cased=True),
    Rule(
        "identifier in a sentence",
        rf"(?!{PRODUCTS}){WRITTEN}",
        _DEF,
        0.60,
        "the parseConfig thing",
        "parseConfig",
        SYMBOL,
        cased=True,
    ),
    # 8. how it works
    Rule(
        "how, why, explain",
        r"\b(?:how|why|explain|explanation|architecture|overview|describe|understand|purpose|walk me through|what happens)\b",
        _CODE,
        0.75,
        "how does login work?",
        "login",
    ),
    Rule(
        "comment, pourquoi",
        r"\b(?:comment|pourquoi|explique[rz]?|explication|decris|decrire|decrivez|comprendre|a quoi sert|fonctionnement)\b",
        _CODE,
        0.75,
        "comment fonctionne la connexion ?",
        "connexion",
    ),
    # 9. nothing matches: said with low confidence, never guessed loudly
    Rule("nothing matched", r"", _CODE, 0.40, "retry queue backoff", "retry queue backoff"),
)
UNSURE = frozenset({"identifier in backticks", "identifier in a sentence", "nothing matched"})  # rows that a slip of a word may have led to

# Words by which the rows above know a question, and that people mistype.
_TELLING = """
affected blast breaks callees callers calling calls chain changed definition defined defines depends explain explains functions
impact implemented implementation imported imports overrides references references similar subclasses usages used uses where which
appelle appelants appelee chaine classe comment definie definition depend explique fonction fonctionne pourquoi references utilise
utilisee radius who what
"""
TELLING = tuple(sorted(set(_TELLING.split())))

# words that are never what a question is about, in either language
_STOP_WORDS = """
a about all an and any anything are as at au aux avec be been by can ce ces cet cette comment could d dans de des did do does doing
done donne donner du each elle elles else est et etait every everything fonctionne fonctionnent for from give he here how i if il ils
in is it its je l la le les ma marche may me mes might moi mon montre montrer must my nos notre nous now of on one or ou our par
please pour pourquoi qu quand que quel quelle quelles quels qui quoi se sert she should show si some something sont sur tell that the
there these they this those to tous tout toutes tu un une us vous was we were what when where which who why will with work working
works would you your
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())

# around the name of a symbol these say what it is or what is done to it; of a topic they may be the very subject
_AROUND_A_NAME = """
alter anywhere appele break breaks called change changed changer changes changing check cherche chercher class classe classes code
constant constante declared define defined defini definie delete deleted deletes deleting deplace documentation drop edit edits encore
file files find fichier fichiers fonction fonctions function functions get getting gets happens instance instances interface list
method methode methodes methods modified modifie modifier modifies modify modifying module move moved partie prise refactor remove
removed removes removing rename renamed renames renaming renomme renommer retire retirer return run safely signature still suppression
supprime supprimer symbol symbole test tests tested touch touche toucher touches trouve trouver type update updated used using utilise
utilisee variable risque sans changement
"""
AROUND_A_NAME = STOP_WORDS | frozenset(_AROUND_A_NAME.split())
