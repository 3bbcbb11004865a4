/* Source -> the columns of its syntax tree, for index/parsing/columns.py: what `_trees` makes there, without an object of Python for every
 * node. deploy/compile.py builds it with the source of the tree-sitter release that is installed, of which it is a part: so it may look at
 * subtrees as they are. Where it is not there, or gives up, Python does the same.
 *
 *     columns(
 *         data, grammar, kinds, opened, leaves, quotes, closed, text, module, steps, reads, piece, most_nodes, most_depth, most_name
 *     ) -> (bytearray, bytearray, list[str]) | None
 *
 * data      bytes: the source
 * grammar   capsule "tree_sitter.Language"
 * kinds     bytes, one for each number that a node type may have: our kind, 0 for nodes that are dropped
 * opened    bytes, one for each: 0 the children of such nodes are left out, 1 they are not, 2 they are not if the node's first byte is none
 *           of `quotes`
 * leaves    bytes, one for each kind of ours: 1 where the text of such nodes is their name
 * quotes    bytes: what a string of the kind `closed` (-1: there is none) begins and ends with, alone or three times, if it is one text.
 *           That text is a node too, of the kind `text`
 * module    the kind of the node that holds all
 * steps     of the parser, in hundreds, and reads of pieces of so many bytes: see bounded.py, which counts them as it is done here
 * most_*    nodes of the tree, levels of ours, and bytes of a name
 *
 * The columns start, end, next, parent and name, i32 each, one after the other; the kinds; and the distinct names in the order in which
 * they come first. None: the source has errors, more nodes, levels, steps or reads than allowed, or names that were chosen so that they
 * get into each other's way in the table, which would take time in the square of their number.
 */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("tune=skylake") /* else the parser's nodes are emptied by an instruction that is slow for a few bytes */
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Four things take a third off the parser's time. The first is its memory: it asks for millions of small pieces for each second of its
 * work, and all are given up together when a file is done. So they lie one after the other in large ones, what it gives back is kept by its
 * size, and no tree is ever taken apart. */

#ifdef _MSC_VER
#define OF_THREAD __declspec(thread)
#elif defined(__linux__) && defined(__GLIBC__) /* which has room for a few bytes of what is loaded late, so that they need not be asked for */
#define OF_THREAD _Thread_local __attribute__((tls_model("initial-exec")))
#else
#define OF_THREAD _Thread_local
#endif

enum { LOOKED_BITS = 12 }; /* of the number of answers that are kept: see `ts_language_lookup` */
enum { STEP = 16, SMALL = 1024, SIZES = SMALL / STEP + 1, CLASSES = SIZES + 8 }; /* bytes, and how many sizes are told apart */
enum { BLOCK = 1 << 20, MOST = SMALL << (CLASSES - SIZES) }; /* bytes that are asked for at once, and that a piece of a block has at most */

typedef struct Large { /* before what is given away, where it is larger than MOST and so no piece of a block */
    struct Large *next, *before;
    size_t size;
    size_t class; /* CLASSES; that of a piece of a block stands right before its content too */
} Large;
_Static_assert(sizeof(Large) == offsetof(Large, class) + sizeof(size_t), "nothing stands between the class and the content");

typedef struct Block {
    struct Block *next;
} Block;

typedef struct {
    Block *blocks; /* the last one first */
    char *at, *end; /* what is left of it */
    void *free[CLASSES]; /* contents that were given back, each of which begins with the next one */
    Large large; /* those that there are, in a ring */
    const void *language; /* whose answers these are */
    uint64_t looked[1 << LOOKED_BITS];
} Memory;

static OF_THREAD Memory *memory; /* of the parser that works in this thread */

/* Small sizes are a class for each STEP bytes, larger ones for each power of two. */
static inline size_t class_of(size_t size) {
    if (size <= SMALL) return (size + STEP - 1) / STEP;
    size_t class = SIZES;
    for (size_t room = SMALL << 1; room < size; room <<= 1) class++;
    return class;
}

static inline size_t size_of(size_t class) {
    return class < SIZES ? class * STEP : (size_t)SMALL << (class - SIZES + 1);
}

static inline size_t *class_before(void *content) {
    return (size_t *)content - 1;
}

static inline Large *large_of(void *content) {
    return (Large *)content - 1;
}

/* Without memory the program ends, as it does in the parser's library. */
static void *large_taken(Large *had, size_t size) {
    Large *large = size < PY_SSIZE_T_MAX / 2 ? realloc(had, sizeof(Large) + size) : NULL;
    if (large == NULL) abort();
    if (had == NULL) *large = (Large){memory->large.next, &memory->large, 0, CLASSES};
    large->size = size;
    large->next->before = large->before->next = large; /* which may have moved */
    return large + 1;
}

static void *taken(size_t size) {
    if (size > MOST) return large_taken(NULL, size);
    size_t class = class_of(size);
    void *content = memory->free[class];
    if (content != NULL) {
        memcpy(memory->free + class, content, sizeof content); /* which, unlike an assignment, may be of what had another type */
        return content;
    }
    size_t whole = sizeof(size_t) + (class > 0 ? size_of(class) : STEP);
    if ((size_t)(memory->end - memory->at) < whole) {
        Block *block = malloc(BLOCK);
        if (block == NULL) abort();
        block->next = memory->blocks, memory->blocks = block;
        memory->at = (char *)(block + 1), memory->end = (char *)block + BLOCK;
    }
    content = memory->at + sizeof(size_t);
    *class_before(content) = class;
    memory->at += whole;
    return content;
}

static void given_back(void *content) {
    if (content == NULL) return;
    size_t class = *class_before(content);
    if (class == CLASSES) {
        Large *large = large_of(content);
        large->next->before = large->before, large->before->next = large->next;
        free(large);
        return;
    }
    memcpy(content, memory->free + class, sizeof content);
    memory->free[class] = content;
}

static void *taken_empty(size_t count, size_t size) {
    if (size != 0 && count > PY_SSIZE_T_MAX / 4 / size) abort();
    return memset(taken(count * size), 0, count * size);
}

static void *taken_again(void *content, size_t size) {
    if (content == NULL) return taken(size);
    size_t class = *class_before(content);
    if (class == CLASSES && size > MOST) return large_taken(large_of(content), size);
    size_t had = class == CLASSES ? large_of(content)->size : size_of(class);
    if (class != CLASSES && size <= had) return content;
    void *other = memcpy(taken(size), content, size < had ? size : had);
    given_back(content);
    return other;
}

#define ts_malloc taken
#define ts_calloc taken_empty
#define ts_realloc taken_again
#define ts_free given_back

/* The second: a tree is in the hands of one thread, so its pieces need not be counted in a way that is safe from others. */
#include "atomic.h"
#define atomic_inc(count) (++*(count))
#define atomic_dec(count) (--*(count))

/* The third: what to do in a state with a symbol is searched for in a list each time, and nearly always was a moment ago. */
#define ts_language_lookup ts_language_search
#include "language.h"
#undef ts_language_lookup

static inline uint16_t ts_language_lookup(const TSLanguage *self, TSStateId state, TSSymbol symbol) {
    if (state < self->large_state_count) return ts_language_search(self, state, symbol);
    uint64_t key = ((uint64_t)state << 16 | symbol) + 1; /* never 0, as what is empty */
    uint64_t *place = memory->looked + (key * 0x9e3779b97f4a7c15u >> (64 - LOOKED_BITS));
    if (*place >> 16 != key) *place = key << 16 | ts_language_search(self, state, symbol);
    return (uint16_t)*place;
}

#include "lib.c"

/* The fourth: what `ts_lexer__advance` does, which is nearly always from one ASCII character to the next in a line. */
static void advanced(TSLexer *of_language, bool skip) {
    Lexer *lexer = (Lexer *)of_language;
    uint32_t next = lexer->current_position.bytes + 1 - lexer->chunk_start;
    bool is_plain = lexer->chunk != NULL && lexer->lookahead_size == 1 && of_language->lookahead != '\n' && next < lexer->chunk_size
        && (unsigned char)lexer->chunk[next] < 0x80;
    if (!is_plain) {
        ts_lexer__advance(of_language, skip);
        return;
    }
    lexer->current_position.bytes++, lexer->current_position.extent.column++;
    lexer->column_data.value += lexer->column_data.valid;
    if (skip) lexer->token_start_position = lexer->current_position;
    of_language->lookahead = lexer->chunk[next];
}

/* All is free again; one block stays. */
static void emptied(Memory *one) {
    while (one->large.next != &one->large) given_back(one->large.next + 1);
    while (one->blocks != NULL && one->blocks->next != NULL) {
        Block *block = one->blocks;
        one->blocks = block->next;
        free(block);
    }
    one->at = one->blocks != NULL ? (char *)(one->blocks + 1) : NULL;
    one->end = one->blocks != NULL ? (char *)one->blocks + BLOCK : NULL;
    memset(one->free, 0, sizeof one->free);
}

enum { LEFT, OPENED, STRING };
enum { SPAN_BITS = 27, KIND_BITS = 8, MOST_MOVES = 64 };
#define SPAN_MASK (((uint64_t)1 << SPAN_BITS) - 1)

typedef struct {
    const char *data;
    uint32_t length;
    const unsigned char *kinds, *opened, *leaves;
    const char *quotes;
    size_t many; /* of them */
    int closed, text, module;
    size_t most_nodes, most_depth, most_name;
    long long steps, reads; /* that are left */
    uint32_t piece, first, end; /* bytes of a piece at most; and the one that the lexer has */
} Source;

typedef struct {
    uint64_t *keys; /* of the nodes in order: start, end (larger ones first) and kind in one number, as `_packed` in columns.py has them */
    size_t count, room;
    size_t leaves; /* how many of them have a name */
    size_t seen; /* of the tree */
} Nodes;

typedef struct {
    Subtree parent;
    const TSSymbol *aliases; /* what its children are called here, 0: as they are; NULL where all are so */
    uint32_t index, structural; /* of the next child, among all and among those that are no extras */
    uint32_t start; /* of the next child, without what stands before it */
} Level;

/* Nothing once that is enough, which ends the source for the parser: but where the lexer reads on in the piece that it has, it takes for
 * granted that there is something. */
static const char *piece_at(void *payload, uint32_t byte, TSPoint position, uint32_t *size) {
    Source *source = payload;
    (void)position;
    bool is_given = --source->reads >= 0 || (source->first <= byte && byte < source->end);
    uint32_t rest = byte < source->length ? source->length - byte : 0;
    *size = !is_given ? 0 : rest < source->piece ? rest : source->piece;
    source->first = byte, source->end = byte + *size;
    return source->data + (source->length - rest);
}

static bool is_enough(TSParseState *state) {
    Source *source = state->payload;
    return --source->steps < 0 || source->reads < 0;
}

static inline bool is_quoted(const Source *source, uint32_t start) {
    return start < source->length && memchr(source->quotes, source->data[start], source->many) != NULL;
}

/* A node of the tree is one of ours; false where there is no memory, or its place can't be found soon. */
static bool add(const Source *source, Nodes *nodes, uint32_t start, uint32_t end, unsigned kind) {
    if (end <= start) return true;
    if (nodes->count == nodes->room) {
        size_t room = 2 * nodes->room;
        uint64_t *keys = realloc(nodes->keys, room * sizeof(uint64_t));
        if (keys == NULL) return false;
        nodes->keys = keys, nodes->room = room;
    }
    uint64_t key = (uint64_t)start << (SPAN_BITS + KIND_BITS) | (SPAN_MASK - end) << KIND_BITS | kind;
    size_t at = nodes->count++;
    for (int moves = 0; at > 1 && nodes->keys[at - 1] > key; at--) { /* of nodes of the same bytes, the order is ours */
        if (moves++ == MOST_MOVES) return false;
        nodes->keys[at] = nodes->keys[at - 1];
    }
    nodes->keys[at] = key;
    nodes->leaves += source->leaves[kind] && end - start <= source->most_name;
    return true;
}

/* A named node -> whether all went well, and whether its children count. */
static bool tell(const Source *source, Nodes *nodes, uint32_t start, uint32_t end, TSSymbol type, bool *opens) {
    unsigned char kind = source->kinds[type], what = source->opened[type];
    *opens = what == OPENED || (what == STRING && !is_quoted(source, start));
    if (nodes->seen++ == source->most_nodes || end > source->length) return false;
    if (kind == 0) return true;
    if (!add(source, nodes, start, end, kind)) return false;
    if (kind != source->closed || !is_quoted(source, start)) return true;
    const char *first = source->data + start;
    uint32_t width = end - start >= 6 && first[0] == first[1] && first[0] == first[2] ? 3 : 1;
    return end - start < 2 * width || add(source, nodes, start + width, end - width, (unsigned)source->text);
}

/* Whether all could be told. Nodes without a name have no children that count. */
static bool collect(const TSTree *tree, const Source *source, Nodes *nodes) {
    const TSLanguage *language = tree->language;
    size_t depth = 0, room = 256;
    Level *levels = malloc(room * sizeof(Level));
    uint32_t start = ts_subtree_padding(tree->root).bytes, end = start + ts_subtree_size(tree->root).bytes;
    TSSymbol type = ts_language_public_symbol(language, ts_subtree_symbol(tree->root));
    bool opens = false, whole = levels != NULL && tell(source, nodes, start, end, type, &opens);
    if (whole && opens && ts_subtree_child_count(tree->root) > 0)
        levels[depth++] = (Level){tree->root, ts_language_alias_sequence(language, tree->root.ptr->production_id), 0, 0, start};
    while (whole && depth > 0) {
        Level *level = levels + depth - 1;
        if (level->index == level->parent.ptr->child_count) {
            depth--;
            continue;
        }
        Subtree child = ts_subtree_children(level->parent)[level->index];
        TSSymbol alias = level->aliases != NULL && !ts_subtree_extra(child) ? level->aliases[level->structural] : 0;
        start = level->start + (level->index > 0 ? ts_subtree_padding(child).bytes : 0);
        level->start = start + ts_subtree_size(child).bytes;
        level->index++;
        level->structural += !ts_subtree_extra(child);
        if (alias != 0 || ts_subtree_visible(child)) {
            if (alias != 0 ? !ts_language_symbol_metadata(language, alias).named : !ts_subtree_named(child)) continue;
            type = ts_language_public_symbol(language, alias != 0 ? alias : ts_subtree_symbol(child));
            whole = tell(source, nodes, start, level->start, type, &opens);
            if (!opens) continue;
        }
        if (ts_subtree_visible_child_count(child) == 0) continue;
        if (depth == room) {
            room *= 2;
            Level *more = realloc(levels, room * sizeof(Level));
            whole = whole && more != NULL;
            if (more == NULL) break;
            levels = more;
        }
        levels[depth++] = (Level){child, ts_language_alias_sequence(language, child.ptr->production_id), 0, 0, start};
    }
    free(levels);
    return whole;
}

enum { MOST_LOOKS = 16, SOME_LOOKS = 1024 }; /* at places of the table for each name, and besides; code needs less than two */

typedef struct {
    int32_t *table; /* row of a distinct name, -1 where there is none */
    uint64_t *first; /* of each distinct name, the key of the node where it comes first */
    size_t room, distinct, looks;
} Names;

static inline uint32_t start_of(uint64_t key) {
    return (uint32_t)(key >> (SPAN_BITS + KIND_BITS));
}

static inline uint32_t end_of(uint64_t key) {
    return (uint32_t)(SPAN_MASK - (key >> KIND_BITS & SPAN_MASK));
}

static inline uint64_t mixed(uint64_t found, uint64_t part) {
    found = (found ^ part) * 0x9e3779b97f4a7c15u;
    return found ^ found >> 32;
}

/* Eight bytes at a time; who chooses names that come out alike gains nothing but that they are looked at in vain, which is bounded. */
static inline uint64_t hashed(const char *text, size_t length) {
    uint64_t found = length, part;
    uint32_t first, last;
    size_t rest = length;
    for (; rest >= sizeof part; rest -= sizeof part, text += sizeof part) {
        memcpy(&part, text, sizeof part);
        found = mixed(found, part);
    }
    if (rest >= sizeof first) {
        memcpy(&first, text, sizeof first), memcpy(&last, text + rest - sizeof last, sizeof last);
        found = mixed(found, (uint64_t)first << 32 | last);
    } else if (rest > 0) {
        const unsigned char *bytes = (const unsigned char *)text;
        found = mixed(found, (uint64_t)bytes[0] << 16 | (uint64_t)bytes[rest >> 1] << 8 | bytes[rest - 1]);
    }
    return found;
}

/* The row of a name; -1 where it took too long to find it. */
static int32_t row_of(Names *names, const char *data, uint64_t key) {
    const char *text = data + start_of(key);
    size_t length = end_of(key) - start_of(key), place = hashed(text, length) & (names->room - 1);
    for (; names->table[place] >= 0; place = (place + 1) & (names->room - 1)) {
        uint64_t other = names->first[names->table[place]];
        if (end_of(other) - start_of(other) == length && memcmp(data + start_of(other), text, length) == 0) return names->table[place];
        if (names->looks-- == 0) return -1;
    }
    names->first[names->distinct] = key;
    return names->table[place] = (int32_t)names->distinct++;
}

/* Whether the columns could be made of the nodes: values[5 * count], kinds[count]. */
static bool filled(const Source *source, const Nodes *nodes, Names *names, int32_t *values, unsigned char *kinds) {
    size_t count = nodes->count, depth = 0;
    int32_t *starts = values, *ends = starts + count, *next = ends + count, *parent = next + count, *name = parent + count;
    int32_t *open = malloc((source->most_depth + 1) * sizeof(int32_t)); /* the nodes around */
    if (open == NULL) return false;
    bool whole = true;
    for (size_t row = 0; whole && row < count; row++) {
        uint64_t key = nodes->keys[row];
        int32_t start = (int32_t)start_of(key), end = (int32_t)end_of(key);
        starts[row] = start, ends[row] = end, kinds[row] = (unsigned char)(key & 0xff);
        while (depth > 0 && ends[open[depth - 1]] <= start) next[open[--depth]] = (int32_t)row;
        whole = depth <= source->most_depth && (depth == 0 || end <= ends[open[depth - 1]]);
        if (!whole) break;
        parent[row] = depth > 0 ? open[depth - 1] : -1;
        open[depth++] = (int32_t)row;
        bool is_named = source->leaves[kinds[row]] && (size_t)(end - start) <= source->most_name && row > 0;
        name[row] = is_named ? row_of(names, source->data, key) : -1;
        whole = !is_named || name[row] >= 0;
    }
    while (depth > 0) next[open[--depth]] = (int32_t)count;
    free(open);
    return whole;
}

/* As `_decoded` in columns.py: what is no utf-8 is escaped, and so are NULs, which stand between names where they are stored. */
static PyObject *decoded(const char *text, size_t length) {
    PyObject *found = PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, "backslashreplace");
    if (found == NULL || memchr(text, 0, length) == NULL) return found;
    PyObject *escaped = PyObject_CallMethod(found, "replace", "s#s", "\0", (Py_ssize_t)1, "\\0");
    Py_DECREF(found);
    return escaped;
}

enum { KNOWN_BITS = 15, MOST_KNOWN = 40 }; /* of the number of names that are kept, and bytes of such a name */
static PyObject *known[1 << KNOWN_BITS]; /* names in ASCII that came before, each at one place; the lock of the interpreter guards them */

/* A name: most were in another file a moment ago, where they were made, and their hash was told. */
static PyObject *text_of(const char *text, size_t length) {
    if (length > MOST_KNOWN) return decoded(text, length);
    PyObject **place = known + (hashed(text, length) * 0x9e3779b97f4a7c15u >> (64 - KNOWN_BITS));
    if (*place != NULL && (size_t)PyUnicode_GET_LENGTH(*place) == length && memcmp(PyUnicode_DATA(*place), text, length) == 0)
        return Py_NewRef(*place);
    PyObject *found = decoded(text, length);
    if (found == NULL || !PyUnicode_IS_ASCII(found) || (size_t)PyUnicode_GET_LENGTH(found) != length) return found;
    PyUnicode_InternInPlace(&found);
    Py_XSETREF(*place, Py_NewRef(found));
    return found;
}

static PyObject *texts_of(const Names *names, const char *data) {
    PyObject *texts = PyList_New((Py_ssize_t)names->distinct);
    for (size_t row = 0; texts != NULL && row < names->distinct; row++) {
        uint64_t key = names->first[row];
        PyObject *text = text_of(data + start_of(key), end_of(key) - start_of(key));
        if (text == NULL) {
            Py_CLEAR(texts);
        } else {
            PyList_SET_ITEM(texts, (Py_ssize_t)row, text);
        }
    }
    return texts;
}

/* Nodes -> what `columns` answers. */
static PyObject *answer_of(const Source *source, const Nodes *nodes) {
    Names names = {NULL, NULL, 64, 0, MOST_LOOKS * nodes->leaves + SOME_LOOKS};
    while (names.room < 2 * nodes->leaves) names.room *= 2;
    names.table = malloc(names.room * sizeof(int32_t));
    names.first = malloc((nodes->leaves + 1) * sizeof(uint64_t));
    PyObject *values = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(5 * nodes->count * sizeof(int32_t)));
    PyObject *kinds = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)nodes->count), *found = NULL;
    if (values == NULL || kinds == NULL) {
        goto done;
    } else if (names.table == NULL || names.first == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    memset(names.table, 0xff, names.room * sizeof(int32_t));
    if (filled(source, nodes, &names, (int32_t *)PyByteArray_AS_STRING(values), (unsigned char *)PyByteArray_AS_STRING(kinds))) {
        PyObject *texts = texts_of(&names, source->data);
        if (texts != NULL) found = PyTuple_Pack(3, values, kinds, texts);
        Py_XDECREF(texts);
    } else {
        found = Py_NewRef(Py_None);
    }
done:
    Py_XDECREF(values), Py_XDECREF(kinds);
    free(names.table), free(names.first);
    return found;
}

static Memory *idle; /* memory that is in no one's hands; the lock of the interpreter guards it */

/* The nodes of some source; whether all could be told. */
static bool parsed(Source *source, const TSLanguage *language, Nodes *nodes) {
    TSParser *parser = ts_parser_new();
    if (!ts_parser_set_language(parser, language)) return false;
    parser->lexer.data.advance = advanced;
    TSInput input = {.payload = source, .read = piece_at, .encoding = TSInputEncodingUTF8, .decode = NULL};
    TSParseOptions options = {.payload = source, .progress_callback = is_enough};
    TSTree *tree = ts_parser_parse_with_options(parser, NULL, input, options);
    bool whole = tree != NULL && source->reads >= 0 && ts_subtree_error_cost(tree->root) == 0 && collect(tree, source, nodes);
    ts_parser__external_scanner_destroy(parser); /* whose memory is its own */
    return whole;
}

static PyObject *columns(PyObject *self, PyObject *args) {
    Source source;
    Py_ssize_t length, kinds, opened, leaves, quotes, piece, most_nodes, most_depth, most_name;
    PyObject *capsule;
    (void)self;
    if (!PyArg_ParseTuple(
            args, "y#Oy#y#y#y#iiiLLnnnn", &source.data, &length, &capsule, &source.kinds, &kinds, &source.opened, &opened, &source.leaves,
            &leaves, &source.quotes, &quotes, &source.closed, &source.text, &source.module, &source.steps, &source.reads, &piece,
            &most_nodes, &most_depth, &most_name
        ))
        return NULL;
    const TSLanguage *language = PyCapsule_GetPointer(capsule, "tree_sitter.Language");
    if (language == NULL) return NULL;
    if (kinds <= UINT16_MAX || opened <= UINT16_MAX || leaves <= UINT8_MAX || length >= 1 << (SPAN_BITS - 1) || most_nodes < 0
        || most_nodes > INT32_MAX / 2 || most_depth < 1 || most_depth > INT16_MAX || most_name < 0 || piece < 4 || piece > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "tables of all types and kinds, no more than 64 MiB of source, and pieces that hold a character");
        return NULL;
    }
    source.length = (uint32_t)length, source.many = (size_t)quotes;
    source.piece = (uint32_t)piece, source.first = source.end = 0;
    source.most_nodes = (size_t)most_nodes, source.most_depth = (size_t)most_depth, source.most_name = (size_t)most_name;
    Memory *mine = idle != NULL ? idle : calloc(1, sizeof(Memory));
    idle = NULL;
    Nodes nodes = {malloc(4096 * sizeof(uint64_t)), 0, 4096, 0, 0};
    if (mine == NULL || nodes.keys == NULL) {
        idle = mine; /* with its block */
        free(nodes.keys);
        return PyErr_NoMemory();
    }
    bool whole;
    Py_BEGIN_ALLOW_THREADS
    memory = mine;
    mine->large.next = mine->large.before = &mine->large;
    if (mine->language != language) memset(mine->looked, 0, sizeof mine->looked);
    mine->language = language;
    whole = add(&source, &nodes, 0, source.length + 1, (unsigned)source.module) && parsed(&source, language, &nodes);
    emptied(mine);
    Py_END_ALLOW_THREADS
    PyObject *found = whole ? answer_of(&source, &nodes) : Py_NewRef(Py_None);
    free(nodes.keys);
    if (idle == NULL) {
        idle = mine;
    } else {
        free(mine->blocks), free(mine);
    }
    return found;
}

static PyMethodDef methods[] = {
    {"columns", columns, METH_VARARGS, "Source -> the columns of its syntax tree."},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "walk", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_walk(void) {
    PyObject *made = PyModule_Create(&module);
    if (made != NULL && PyModule_AddStringConstant(made, "RELEASE", RELEASE) < 0) Py_CLEAR(made);
    return made;
}
