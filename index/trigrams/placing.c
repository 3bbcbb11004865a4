/* Texts -> their words and signs, and where each stands, for index/trigrams/postings.py: what `words_in`, `hashes` and the sorts of
 * `text_facts_batch` do there with arrays, in one pass with a table. deploy/compile.py builds it; where it is not there, or gives up, numpy
 * does the same.
 *
 *     placed(texts, bases) -> (hashes, lengths, counts, letters, rows, places, lines, lines_of_texts, long_runs) | None
 *
 * texts   list[bytes]; bases   i64, the address where each begins
 *
 * Of every distinct word u64 its hash, u8 its length, u32 how often it is there, and its letters, in the order in which they come first; of
 * every word as it comes u32, which of these it is, and u32 its address; u32 the address of every line, and i64 how many each text has; u32
 * the addresses of runs that are too long for a word. None: the words were chosen so that they get into each other's way in the table,
 * which would take time in the square of their number.
 *
 *     dealt(rows, values, starts) -> bytes
 *
 * u32 each: of every value a row, and where the first value of each row goes -> the values, row by row, in the order in which they came.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <string.h>

enum { MAX_WORD = 128, MIN_SIGN = 2 };               /* as in words.py */
enum { GAP, WORD, SIGN };                            /* what a run of some bytes is */
enum { MOST_LOOKS = 16, SOME_LOOKS = 1 << 12 };      /* at places of the table for each word, and besides; texts need less than two */
enum { TOGETHER = 64 };                              /* words, whose places are fetched from the memory before the first one is looked up */
#define SEED UINT64_C(0x9E3779B97F4A7C15)
#define MULTIPLY UINT64_C(0xBF58476D1CE4E5B9)
#define FINISH UINT64_C(0x94D049BB133111EB)

typedef struct {
    PyObject *bytes;
    size_t size, room; /* in bytes */
} Column;

typedef struct {
    uint64_t hash;
    uint32_t row, count; /* of a distinct word, and how often it is there so far; 0: nothing is here */
} Place;

typedef struct {
    uint64_t hash;
    const unsigned char *letters;
    uint32_t address;
    unsigned char length;
} Word;

typedef struct {
    Place *places;
    size_t room, used;
    long long looks; /* that are left */
} Table;

enum { HASHES, LENGTHS, COUNTS, LETTERS, ROWS, PLACES, LINES, LINES_OF_TEXTS, LONG_RUNS, COLUMNS };

static unsigned char run_of[256];

static bool make_room(Column *column, size_t more) {
    if (column->size + more <= column->room) return true;
    size_t room = column->room + column->room / 2 + more + 4096;
    if (column->bytes == NULL) {
        column->bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)room);
    } else {
        _PyBytes_Resize(&column->bytes, (Py_ssize_t)room);
    }
    column->room = room;
    return column->bytes != NULL;
}

static inline bool add(Column *column, const void *value, size_t size) {
    if (!make_room(column, size)) return false;
    memcpy(PyBytes_AS_STRING(column->bytes) + column->size, value, size);
    column->size += size;
    return true;
}

static inline bool add_u32(Column *column, uint32_t value) { return add(column, &value, sizeof value); }

static inline uint64_t lane(const unsigned char *from, size_t length, const unsigned char *end) { /* at most eight bytes, little-endian */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (end - from >= 8) {
        uint64_t found;
        memcpy(&found, from, 8);
        return length < 8 ? found & ((UINT64_C(1) << 8 * length) - 1) : found;
    }
#endif
    uint64_t found = 0;
    for (size_t at = 0; at < length && at < 8; at++) found |= (uint64_t)from[at] << 8 * at;
    return found;
}

static inline uint64_t hashed(const unsigned char *word, size_t length, const unsigned char *end) {
    uint64_t state = length * SEED;
    for (size_t at = 0; at < length; at += 8) {
        state = (state ^ lane(word + at, length - at, end)) * MULTIPLY;
        state ^= state >> 32;
    }
    state = (state ^ state >> 29) * FINISH;
    return state ^ state >> 32;
}

static bool larger(Table *table) {
    size_t room = table->room ? 2 * table->room : 1 << 12;
    Place *places = calloc(room, sizeof(Place));
    if (places == NULL) return false;
    for (size_t old = 0; old < table->room; old++) {
        if (!table->places[old].count) continue;
        size_t at = table->places[old].hash & (room - 1);
        while (places[at].count) {
            at = (at + 1) & (room - 1);
            table->looks--;
        }
        places[at] = table->places[old];
    }
    free(table->places);
    table->places = places, table->room = room;
    return true;
}

/* Some words that follow each other -> their rows. Whether all could be told: it could not where an exception is set, or where too many looks
 * were needed. */
static bool look_up(Table *table, Column *columns, const Word *words, size_t count) {
    if (!make_room(&columns[ROWS], count * sizeof(uint32_t)) || !make_room(&columns[PLACES], count * sizeof(uint32_t))) return false;
    for (size_t one = 0; one < count; one++) {
        const Word word = words[one];
        size_t at = word.hash & (table->room - 1);
        while (table->places[at].count && table->places[at].hash != word.hash) {
            at = (at + 1) & (table->room - 1);
            if (--table->looks < 0) return false;
        }
        Place *place = &table->places[at];
        uint32_t row = place->row;
        if (!place->count++) {
            row = (uint32_t)table->used++;
            place->hash = word.hash, place->row = row;
            if (!add(&columns[HASHES], &word.hash, sizeof word.hash) || !add(&columns[LENGTHS], &word.length, 1)
                || !add(&columns[LETTERS], word.letters, word.length))
                return false;
            if (2 * table->used > table->room && !larger(table)) {
                PyErr_NoMemory();
                return false;
            }
        }
        table->looks += MOST_LOOKS;
        add_u32(&columns[ROWS], row), add_u32(&columns[PLACES], word.address);
    }
    return true;
}

/* The same of a whole text. */
static bool read_text(const unsigned char *data, size_t size, uint32_t base, Table *table, Column *columns) {
    const unsigned char *end = data + size;
    int64_t lines = 1;
    Word words[TOGETHER];
    size_t count = 0;
    if (!add_u32(&columns[LINES], base)) return false;
    for (size_t at = 0; at < size;) {
        unsigned char run = run_of[data[at]];
        size_t start = at++;
        if (run == GAP) {
            if (data[start] == '\n' && at < size) {
                lines++;
                if (!add_u32(&columns[LINES], base + (uint32_t)at)) return false;
            }
            continue;
        }
        while (at < size && run_of[data[at]] == run) at++;
        size_t length = at - start;
        uint32_t address = base + (uint32_t)start;
        if (length > MAX_WORD) {
            if (!add_u32(&columns[LONG_RUNS], address)) return false;
            continue;
        }
        if (run == SIGN && length < MIN_SIGN) continue;
        uint64_t hash = hashed(data + start, length, end);
        __builtin_prefetch(&table->places[hash & (table->room - 1)]);
        words[count++] = (Word){hash, data + start, address, (unsigned char)length};
        if (count == TOGETHER) {
            if (!look_up(table, columns, words, count)) return false;
            count = 0;
        }
    }
    return look_up(table, columns, words, count) && add(&columns[LINES_OF_TEXTS], &lines, sizeof lines);
}

static PyObject *placed(PyObject *self, PyObject *args) {
    PyObject *texts, *found = NULL;
    const char *bases;
    Py_ssize_t size;
    (void)self;
    if (!PyArg_ParseTuple(args, "O!y#", &PyList_Type, &texts, &bases, &size)) return NULL;
    Column columns[COLUMNS] = {{NULL, 0, 0}};
    Table table = {NULL, 0, 0, SOME_LOOKS};
    Py_ssize_t count = PyList_GET_SIZE(texts);
    if (size != count * (Py_ssize_t)sizeof(int64_t)) {
        PyErr_SetString(PyExc_ValueError, "a base of each text");
        return NULL;
    }
    bool whole = larger(&table);
    if (!whole) PyErr_NoMemory();
    for (int column = 0; whole && column < COLUMNS; column++) whole = make_room(&columns[column], 1);
    for (Py_ssize_t at = 0; whole && at < count; at++) {
        PyObject *text = PyList_GET_ITEM(texts, at);
        int64_t base;
        memcpy(&base, bases + at * (Py_ssize_t)sizeof base, sizeof base);
        if (!PyBytes_Check(text) || base < 0 || base > (int64_t)UINT32_MAX + 1 - PyBytes_GET_SIZE(text)) {
            PyErr_SetString(PyExc_ValueError, "texts are bytes, and addresses have 32 bits");
            whole = false;
        } else {
            whole = PyErr_CheckSignals() == 0
                && read_text((const unsigned char *)PyBytes_AS_STRING(text), (size_t)PyBytes_GET_SIZE(text), (uint32_t)base, &table, columns);
        }
    }
    whole = whole && make_room(&columns[COUNTS], table.used * sizeof(uint32_t));
    if (whole) columns[COUNTS].size = table.used * sizeof(uint32_t);
    for (size_t at = 0; whole && at < table.room; at++)
        if (table.places[at].count) ((uint32_t *)PyBytes_AS_STRING(columns[COUNTS].bytes))[table.places[at].row] = table.places[at].count;
    free(table.places);
    for (int column = 0; whole && column < COLUMNS; column++)
        whole = _PyBytes_Resize(&columns[column].bytes, (Py_ssize_t)columns[column].size) == 0;
    if (whole) found = PyTuple_New(COLUMNS);
    for (int column = 0; column < COLUMNS; column++) {
        if (found != NULL) {
            PyTuple_SET_ITEM(found, column, columns[column].bytes);
        } else {
            Py_XDECREF(columns[column].bytes);
        }
    }
    if (found == NULL && !PyErr_Occurred()) Py_RETURN_NONE;
    return found;
}

static PyObject *dealt(PyObject *self, PyObject *args) {
    const char *rows_of, *values_of, *starts_of;
    Py_ssize_t size, same, distinct;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#y#y#", &rows_of, &size, &values_of, &same, &starts_of, &distinct)) return NULL;
    size_t count = (size_t)size / sizeof(uint32_t), many = (size_t)distinct / sizeof(uint32_t);
    uint32_t *next = malloc((size_t)distinct + 1);
    PyObject *found = PyBytes_FromStringAndSize(NULL, size);
    bool fits = size == same;
    if (next != NULL && found != NULL) {
        const uint32_t *rows = (const uint32_t *)rows_of, *values = (const uint32_t *)values_of;
        uint32_t *out = (uint32_t *)PyBytes_AS_STRING(found);
        memcpy(next, starts_of, (size_t)distinct);
        for (size_t at = 0; fits && at < count; at++) {
            fits = rows[at] < many && next[rows[at]] < count;
            if (fits) out[next[rows[at]]++] = values[at];
        }
        if (!fits) PyErr_SetString(PyExc_ValueError, "a row of each value, and room for all values of a row");
    } else if (!PyErr_Occurred()) {
        PyErr_NoMemory();
    }
    free(next);
    if (PyErr_Occurred()) Py_CLEAR(found);
    return found;
}

static PyMethodDef methods[] = {
    {"placed", placed, METH_VARARGS, "Texts -> their words, and where each stands."},
    {"dealt", dealt, METH_VARARGS, "Rows and values -> the values of each row."},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "placing", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_placing(void) {
    for (int byte = 0; byte < 256; byte++) {
        bool is_letter = byte == '_' || (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || byte >= 0x80;
        run_of[byte] = is_letter ? WORD : byte > 0x20 && byte < 0x7f ? SIGN : GAP;
    }
    return PyModule_Create(&module);
}
