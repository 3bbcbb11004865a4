"""The ordered table of question shapes: the first row that matches wins.

Patterns are matched against the question without accents (é is written e; positions are kept), case ignored unless `cased`.
A pattern may name the group `subject`; otherwise the subject is looked for in what is left of the question. Each row has an example
that only this row answers, and what the example is about.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

SYMBOL, LITERAL, TOPIC = "symbol", "literal", "topic"

NAME = r"[A-Za-z_$][\w$]{0,99}"
DOTTED = rf"{NAME}(?:(?:\.|::|\#){NAME}){{0,9}}"
CAMEL = r"(?:[a-z][a-z0-9]*[A-Z][\w$]*|[A-Z][a-z0-9]+[A-Z][\w$]*|[A-Z]{2,}[a-z][\w$]*)"
SNAKE = r"(?:_*[A-Za-z][A-Za-z0-9]*_[\w$]+|_+[A-Za-z][\w$]*)"
# a name that prose would not hold: CamelCase or snake_case somewhere in it, a capitalised owner (Cart.total), or a call
WRITTEN = (
    rf"(?<![\w.$])(?:(?:{NAME}\.){{0,9}}(?:{CAMEL}|{SNAKE})(?:\.{NAME}){{0,9}}"
    rf"|[A-Z][\w$]*(?:\.{NAME}){{1,9}}|{NAME}(?:\.{NAME}){{0,9}}(?=\(\)))(?![\w$])(?:\(\))?"
)
# names of products that look like identifiers in an ordinary sentence
PRODUCTS = r"(?:GitHub|GitLab|JavaScript|TypeScript|PostgreSQL|MySQL|SQLite|GraphQL|OpenAPI|FastAPI|OpenTelemetry|macOS|iOS|PyPI|OAuth)\b"


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
    only_tests: bool = False  # of what is found, only tests answer the question
    compiled: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "compiled", re.compile(self.pattern, 0 if self.cased else re.IGNORECASE))


_DEF, _REFS, _IMPACT, _EXACT, _LIKE, _CODE = (
    "find_definition",
    "find_references",
    "impact_analysis",
    "exact_match",
    "find_similar",
    "understand_code",
)

RULES = (
    # 1. the start of a definition, as it stands in code
    Rule(
        "definition keyword",
        r"^\s*(?:(?:export|default|public|pub|private|protected|static|abstract|async)\s+)*"
        rf"(?:def|class|func|function|fn|interface|struct|trait|enum)\s+(?:\([^)]*\)\s*)?(?P<subject>{DOTTED})",
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
    # 2. who uses it
    Rule(
        "who calls",
        r"\b(?:who|what|which (?:\w+ )?)\s*(?:is |are )?(?:all )?(?:calls?|calling|uses?|using|invokes?|invoking"
        r"|references?|imports?|extends?|overrides?)\b",
        _REFS,
        0.90,
        "who calls `Cart.total`?",
        "Cart.total",
        SYMBOL,
    ),
    Rule(
        "usages of",
        r"\b(?:usages?|uses|callers?|call sites?|importers|subclasses|implementations) (?:of|for)\b",
        _REFS,
        0.90,
        "all usages of parse_config",
        "parse_config",
        SYMBOL,
    ),
    Rule("references to", r"\b(?:references? (?:to|for|of)|calls to)\b", _REFS, 0.90, "references to Cart", "Cart", SYMBOL),
    Rule(
        "where is X used",
        r"\bwhere(?: is|'s| are| do we| does anyone)? (?P<subject>.{1,120}?) (?:being )?(?:used|called|referenced|imported|invoked)\b",
        _REFS,
        0.90,
        "where is the rate function used?",
        "rate",
        SYMBOL,
    ),
    Rule(
        "X callers",
        rf"(?P<subject>{WRITTEN}|`[^`\n]+`) (?:callers?|usages?|references?|call sites?)\b",
        _REFS,
        0.90,
        "list Cart.total callers",
        "Cart.total",
        SYMBOL,
        cased=True,
    ),
    Rule(
        "is X used",
        r"\b(?:is|are) (?P<subject>.{1,120}?) (?:ever |still |even )?(?:used|called|referenced|imported)\b",
        _REFS,
        0.90,
        "is old_rate still used anywhere?",
        "old_rate",
        SYMBOL,
    ),
    Rule(
        "where do we use X",
        r"\bwhere (?:do we|is it that we|does (?:the |our )?\w+) (?:use|call|import)\b",
        _REFS,
        0.90,
        "where do we call rate?",
        "rate",
        SYMBOL,
    ),
    Rule(
        "qui appelle",
        r"\b(?:qui|qu'est-ce qui|quelles? \w+|quels? \w+)\s+(?:appelle(?:nt)?|utilise(?:nt)?|invoque(?:nt)?"
        r"|importe(?:nt)?|reference(?:nt)?|se sert de|se servent de|herite(?:nt)? de)\b",
        _REFS,
        0.90,
        "qui appelle Panier.total ?",
        "Panier.total",
        SYMBOL,
    ),
    Rule(
        "usages de",
        r"\b(?:usages?|utilisations?|appelants?|appels?|references?) (?:de la|de l'|de|du|des|d'|a la|a l'|a|au"
        r"|aux)\s?(?![\w])|\b(?:usages?|utilisations?|appelants?|references?) (?:de|d'|du|a)\b",
        _REFS,
        0.90,
        "les références à parseConfig",
        "parseConfig",
        SYMBOL,
    ),
    Rule(
        "où est utilisé",
        r"\bou (?:est|sont)(?:-ce que| ce que)? (?:(?:utilise|appele|importe|reference)e?s?\b|(?P<subject>.{1,120}?) (?:utilise"
        r"|appele|importe|reference)e?s?\b)",
        _REFS,
        0.90,
        "où est utilisée la fonction taux ?",
        "taux",
        SYMBOL,
    ),
    # 3. what a change reaches
    Rule(
        "which tests cover X",
        r"\b(?:what|which) tests? (?:covers?|tests?|checks?|exercises?|runs?)\b|\btests? (?:of|for|covering)\b",
        _IMPACT,
        0.90,
        "which tests cover Cart.total?",
        "Cart.total",
        SYMBOL,
        only_tests=True,
    ),
    Rule(
        "quels tests couvrent X",
        r"\bquels? tests? (?:couvre(?:nt)?|teste(?:nt)?|verifie(?:nt)?)\b|\btests? (?:de la|de l'|de|du|des|d')(?!\w)",
        _IMPACT,
        0.90,
        "quels tests couvrent Panier.total ?",
        "Panier.total",
        SYMBOL,
        only_tests=True,
    ),
    Rule(
        "impact",
        r"\b(?:impact(?:s|ed)?|blast radius|ripple effects?)\b(?: (?:of|on))?|\baffected by\b",
        _IMPACT,
        0.90,
        "the blast radius of Cart.total",
        "Cart.total",
        SYMBOL,
    ),
    Rule(
        "what depends on",
        r"\b(?:what|who|which \w+|anything|something|everything|nothing|anyone)(?: else)? (?:all )?depends? (?:up)?on\b"
        r"|\bdependents of\b",
        _IMPACT,
        0.90,
        "what depends on tax.rate?",
        "tax.rate",
        SYMBOL,
    ),
    Rule(
        "what breaks if",
        r"\bwhat (?:else )?(?:would |could |will |might |can |may )?(?:(?:breaks?|break|fails?|stops working|(?:is|gets|be) affected)"
        r" (?:if|when|by)|happens? (?:if|when) (?:i|we|you|someone)|(?:needs?|has|have|must) (?:to )?(?:change|be changed|be updated))\b",
        _IMPACT,
        0.90,
        "what breaks if I rename Cart?",
        "Cart",
        SYMBOL,
    ),
    Rule(
        "if I change X",
        r"\bif (?:i|we|you|someone) (?:change|rename|remove|delete|modify|edit|move|drop)(?P<subject>.{1,120}?),?"
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
        r"\b(?:is it )?safe to (?:change|remove|delete|rename|modify|edit)\b|\bcan i (?:safely )?(?:remove|delete|rename)\b",
        _IMPACT,
        0.90,
        "is it safe to delete old_rate?",
        "old_rate",
        SYMBOL,
    ),
    Rule(
        "rayon d'impact",
        r"\brayon d'impact (?:de la|de l'|de|du|des|d')|\brayon d'impact\b|\bimpacte(?:e|s|es|nt)?\b|\bl'impact (?:de|du|d')",
        _IMPACT,
        0.90,
        "quelles fonctions sont impactées par taux ?",
        "taux",
        SYMBOL,
    ),
    Rule(
        "qu'est-ce qui dépend de",
        r"\b(?:qu'est-ce qui|qui|que|quoi|quels? \w+|quelles? \w+) depend(?:ent)? (?:de la|de l'|de|du|des|d')",
        _IMPACT,
        0.90,
        "qu'est-ce qui dépend de Panier ?",
        "Panier",
        SYMBOL,
    ),
    Rule(
        "qu'est-ce qui casse si",
        r"\b(?:qu'est-ce qui|que|qu'est-ce que|quoi|qu'est-ce que ca) (?:va |peut |pourrait )?(?:se )?(?:casse(?:r|rait"
        r"|ra|nt)?|plante(?:r|rait)?|se passe(?:-t-il)?|arrive(?:-t-il)?) (?:si|quand)\b",
        _IMPACT,
        0.90,
        "qu'est-ce qui casse si je modifie parseConfig ?",
        "parseConfig",
        SYMBOL,
    ),
    # 4. exactly this text
    Rule(
        "error message",
        # up to the first value: what follows a quote, a digit or a bracket differs from run to run
        r"^(?:.{0,80}?[\s.])?(?:\w*(?:Error|Exception|Warning|Fault|Panic)|error|fatal|panic): (?P<subject>[A-Za-z][^'\"`0-9(\n]{5,300})",
        _EXACT,
        0.85,
        "ValueError: unknown country code 'XX'",
        "unknown country code",
        LITERAL,
        cased=True,
    ),
    Rule("quoted string", r"\"(?P<subject>[^\"\n]{1,400})\"", _EXACT, 0.90, 'find "card declined"', "card declined", LITERAL),
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
        r"|message|phrase)s? (?P<subject>\S.*)$|^\s*grep (?P<rest>\S.*)$",
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
        r"\b(?P<subject>E(?:CONN|ADDR|NOENT|NOTFOUND|NOTDIR|NOSPC|NOMEM|ACCES|AGAIN|EXIST|PERM|PIPE|TIMEDOUT|INVAL|ISDIR|MFILE|NET|HOST|SRCH|BUSY|PROTO)[A-Z]*"
        r"|ERR_[A-Z0-9_]+|SIG(?:SEGV|ABRT|KILL|TERM|BUS|FPE|ILL)|TS\d{4}|ORA-\d{5}|0x[0-9A-Fa-f]{8})\b",
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
    # 5. more of the same
    Rule(
        "similar to",
        r"\b(?:similar|analogous|comparable) to\b|\b(?:code|functions?|classes|methods?|something"
        r"|anything) (?:that (?:looks?|works?|is|are) )?like\b|\bduplicates? of\b",
        _LIKE,
        0.80,
        "code like Cart.total",
        "Cart.total",
    ),
    Rule(
        "similaire à",
        r"\b(?:similaires?|semblables?|analogues?|comparables?|pareil(?:le)?s?) (?:a la|a l'|a|au|aux)(?!\w)|\b(?:code"
        r"|fonctions?|classes?) comme\b|\bressemble(?:nt)? (?:a|au|aux)\b|\bdoublons? de\b",
        _LIKE,
        0.80,
        "du code qui ressemble à Panier.total",
        "Panier.total",
    ),
    # 6. where it is defined
    Rule(
        "where is X defined",
        r"\bwhere(?: is|'s| are| was| did we| do we| does)? (?P<subject>.{1,120}?) (?:get |gets )?(?:defined|declared"
        r"|implemented|located|lives?|defines?|declares?)\b",
        _DEF,
        0.90,
        "where is Cart.total defined?",
        "Cart.total",
        SYMBOL,
    ),
    Rule(
        "definition of",
        r"\b(?:definition|declaration|implementation) of\b|\bgo to (?:the )?definition\b",
        _DEF,
        0.90,
        "show me the definition of rate",
        "rate",
        SYMBOL,
    ),
    Rule(
        "où est défini",
        r"\bou (?:est|sont|se trouve(?:nt)?)(?:-ce que| ce que)? (?:(?:defini|declare|implemente)e?s?\b"
        r"|(?P<subject>.{1,120}?) (?:defini|declare|implemente)e?s?\b)",
        _DEF,
        0.90,
        "où est défini parseConfig ?",
        "parseConfig",
        SYMBOL,
    ),
    Rule(
        "définition de",
        r"\b(?:definition|declaration|implementation) (?:de la|de l'|de|du|des|d')",
        _DEF,
        0.90,
        "la définition de Panier",
        "Panier",
        SYMBOL,
    ),
    # 7. a name that prose would not hold
    Rule("one identifier", rf"^\s*`?(?P<subject>{WRITTEN})`?\s*\??\s*$", _DEF, 0.80, "parse_config", "parse_config", SYMBOL, cased=True),
    Rule("identifier in backticks", rf"`(?P<subject>{DOTTED})(?:\(\))?`", _DEF, 0.70, "tell me about `rate`", "rate", SYMBOL, cased=True),
    Rule(
        "identifier in a sentence",
        rf"(?P<subject>(?!{PRODUCTS}){WRITTEN})",
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
alter appele break breaks called change changed changer changes changing cherche chercher class classe classes code constant constante
declared defined defini definie delete deletes deplace drop edit edits fichier fichiers file files find fonction fonctions function
functions get happens interface list method methode methodes methods modifie modifier modifies modify module move refactor remove
removes rename renames renomme renommer retire retirer suppression supprime supprimer symbol symbole touch touche toucher touches
trouve trouver type update used utilise utilisee variable
"""
AROUND_A_NAME = STOP_WORDS | frozenset(_AROUND_A_NAME.split())
