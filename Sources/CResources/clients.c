#include "cresources.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

// The folder clients, as it is in the repository: a test compares the two.

#define SCRIPT "text/javascript; charset=utf-8"
#define STYLE "text/css; charset=utf-8"
#define PLAIN "text/plain; charset=utf-8"
#define DATA "application/json"

static const uint8_t events_js[] = {
#embed "../../clients/js/events.js"
};

static const uint8_t pause_js[] = {
#embed "../../clients/js/pause.js"
};

static const uint8_t pincluster_js[] = {
#embed "../../clients/js/pincluster.js"
};

static const uint8_t problem_js[] = {
#embed "../../clients/js/problem.js"
};

static const uint8_t query_js[] = {
#embed "../../clients/js/query.js"
};

static const uint8_t land_json[] = {
#embed "../../clients/map/land.json"
};

static const uint8_t map_page[] = {
#embed "../../clients/map/map.html"
};

static const struct pincluster_file files[] = {
    {"events.js", SCRIPT, events_js, sizeof(events_js)},
    {"pause.js", SCRIPT, pause_js, sizeof(pause_js)},
    {"pincluster.js", SCRIPT, pincluster_js, sizeof(pincluster_js)},
    {"problem.js", SCRIPT, problem_js, sizeof(problem_js)},
    {"query.js", SCRIPT, query_js, sizeof(query_js)},
    {"land.json", DATA, land_json, sizeof(land_json)},
};

const struct pincluster_file *pincluster_clients(void) { return files; }
size_t pincluster_clients_count(void) { return sizeof(files) / sizeof(files[0]); }

const uint8_t *pincluster_map_page(void) { return map_page; }
size_t pincluster_map_page_size(void) { return sizeof(map_page); }
