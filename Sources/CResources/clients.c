#include "cresources.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

// The folder clients, as it is in the repository: a test compares the two.

#define SCRIPT "text/javascript; charset=utf-8"
#define STYLE "text/css; charset=utf-8"
#define PLAIN "text/plain; charset=utf-8"
#define DATA "application/json"

static const uint8_t apart_js[] = {
#embed "../../clients/js/apart.js"
};

static const uint8_t content_d_ts[] = {
#embed "../../clients/js/content.d.ts"
};

static const uint8_t content_js[] = {
#embed "../../clients/js/content.js"
};

static const uint8_t events_js[] = {
#embed "../../clients/js/events.js"
};

static const uint8_t face_js[] = {
#embed "../../clients/js/face.js"
};

static const uint8_t follow_js[] = {
#embed "../../clients/js/follow.js"
};

static const uint8_t google_d_ts[] = {
#embed "../../clients/js/google.d.ts"
};

static const uint8_t google_js[] = {
#embed "../../clients/js/google.js"
};

static const uint8_t leaflet_d_ts[] = {
#embed "../../clients/js/leaflet.d.ts"
};

static const uint8_t leaflet_hulls_js[] = {
#embed "../../clients/js/leaflet-hulls.js"
};

static const uint8_t leaflet_keys_js[] = {
#embed "../../clients/js/leaflet-keys.js"
};

static const uint8_t leaflet_popup_js[] = {
#embed "../../clients/js/leaflet-popup.js"
};

static const uint8_t leaflet_js[] = {
#embed "../../clients/js/leaflet.js"
};

static const uint8_t maplibre_d_ts[] = {
#embed "../../clients/js/maplibre.d.ts"
};

static const uint8_t maplibre_style_js[] = {
#embed "../../clients/js/maplibre-style.js"
};

static const uint8_t maplibre_js[] = {
#embed "../../clients/js/maplibre.js"
};

static const uint8_t mercator_js[] = {
#embed "../../clients/js/mercator.js"
};

static const uint8_t pause_js[] = {
#embed "../../clients/js/pause.js"
};

static const uint8_t pincluster_d_ts[] = {
#embed "../../clients/js/pincluster.d.ts"
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

static const uint8_t screen_js[] = {
#embed "../../clients/js/screen.js"
};

static const uint8_t spread_js[] = {
#embed "../../clients/js/spread.js"
};

static const uint8_t view_js[] = {
#embed "../../clients/js/view.js"
};

static const uint8_t ground_json[] = {
#embed "../../clients/map/ground.json"
};

static const uint8_t land_json[] = {
#embed "../../clients/map/land.json"
};

static const uint8_t map_colors_js[] = {
#embed "../../clients/map/map-colors.js"
};

static const uint8_t map_complete_js[] = {
#embed "../../clients/map/map-complete.js"
};

static const uint8_t map_details_js[] = {
#embed "../../clients/map/map-details.js"
};

static const uint8_t map_drop_js[] = {
#embed "../../clients/map/map-drop.js"
};

static const uint8_t map_labels_js[] = {
#embed "../../clients/map/map-labels.js"
};

static const uint8_t map_land_js[] = {
#embed "../../clients/map/map-land.js"
};

static const uint8_t map_look_js[] = {
#embed "../../clients/map/map-look.js"
};

static const uint8_t map_ranges_js[] = {
#embed "../../clients/map/map-ranges.js"
};

static const uint8_t map_search_js[] = {
#embed "../../clients/map/map-search.js"
};

static const uint8_t map_state_js[] = {
#embed "../../clients/map/map-state.js"
};

static const uint8_t map_key_js[] = {
#embed "../../clients/map/map-key.js"
};

static const uint8_t map_texts_js[] = {
#embed "../../clients/map/map-texts.js"
};

static const uint8_t map_time_js[] = {
#embed "../../clients/map/map-time.js"
};

static const uint8_t map_view_js[] = {
#embed "../../clients/map/map-view.js"
};

static const uint8_t map_css[] = {
#embed "../../clients/map/map.css"
};

static const uint8_t pages_css[] = {
#embed "../../clients/map/pages.css"
};

static const uint8_t theme_css[] = {
#embed "../../clients/map/theme.css"
};

static const uint8_t map_js[] = {
#embed "../../clients/map/map.js"
};

static const uint8_t map_page[] = {
#embed "../../clients/map/map.html"
};

static const struct pincluster_file files[] = {
    {"apart.js", SCRIPT, apart_js, sizeof(apart_js)},
    {"content.d.ts", PLAIN, content_d_ts, sizeof(content_d_ts)},
    {"content.js", SCRIPT, content_js, sizeof(content_js)},
    {"events.js", SCRIPT, events_js, sizeof(events_js)},
    {"face.js", SCRIPT, face_js, sizeof(face_js)},
    {"follow.js", SCRIPT, follow_js, sizeof(follow_js)},
    {"google.d.ts", PLAIN, google_d_ts, sizeof(google_d_ts)},
    {"google.js", SCRIPT, google_js, sizeof(google_js)},
    {"leaflet.d.ts", PLAIN, leaflet_d_ts, sizeof(leaflet_d_ts)},
    {"leaflet-hulls.js", SCRIPT, leaflet_hulls_js, sizeof(leaflet_hulls_js)},
    {"leaflet-keys.js", SCRIPT, leaflet_keys_js, sizeof(leaflet_keys_js)},
    {"leaflet-popup.js", SCRIPT, leaflet_popup_js, sizeof(leaflet_popup_js)},
    {"leaflet.js", SCRIPT, leaflet_js, sizeof(leaflet_js)},
    {"maplibre.d.ts", PLAIN, maplibre_d_ts, sizeof(maplibre_d_ts)},
    {"maplibre-style.js", SCRIPT, maplibre_style_js, sizeof(maplibre_style_js)},
    {"maplibre.js", SCRIPT, maplibre_js, sizeof(maplibre_js)},
    {"mercator.js", SCRIPT, mercator_js, sizeof(mercator_js)},
    {"pause.js", SCRIPT, pause_js, sizeof(pause_js)},
    {"pincluster.d.ts", PLAIN, pincluster_d_ts, sizeof(pincluster_d_ts)},
    {"pincluster.js", SCRIPT, pincluster_js, sizeof(pincluster_js)},
    {"problem.js", SCRIPT, problem_js, sizeof(problem_js)},
    {"query.js", SCRIPT, query_js, sizeof(query_js)},
    {"screen.js", SCRIPT, screen_js, sizeof(screen_js)},
    {"spread.js", SCRIPT, spread_js, sizeof(spread_js)},
    {"view.js", SCRIPT, view_js, sizeof(view_js)},
    {"ground.json", DATA, ground_json, sizeof(ground_json)},
    {"land.json", DATA, land_json, sizeof(land_json)},
    {"map-colors.js", SCRIPT, map_colors_js, sizeof(map_colors_js)},
    {"map-complete.js", SCRIPT, map_complete_js, sizeof(map_complete_js)},
    {"map-details.js", SCRIPT, map_details_js, sizeof(map_details_js)},
    {"map-drop.js", SCRIPT, map_drop_js, sizeof(map_drop_js)},
    {"map-labels.js", SCRIPT, map_labels_js, sizeof(map_labels_js)},
    {"map-land.js", SCRIPT, map_land_js, sizeof(map_land_js)},
    {"map-look.js", SCRIPT, map_look_js, sizeof(map_look_js)},
    {"map-ranges.js", SCRIPT, map_ranges_js, sizeof(map_ranges_js)},
    {"map-search.js", SCRIPT, map_search_js, sizeof(map_search_js)},
    {"map-state.js", SCRIPT, map_state_js, sizeof(map_state_js)},
    {"map-key.js", SCRIPT, map_key_js, sizeof(map_key_js)},
    {"map-texts.js", SCRIPT, map_texts_js, sizeof(map_texts_js)},
    {"map-time.js", SCRIPT, map_time_js, sizeof(map_time_js)},
    {"map-view.js", SCRIPT, map_view_js, sizeof(map_view_js)},
    {"map.css", STYLE, map_css, sizeof(map_css)},
    {"pages.css", STYLE, pages_css, sizeof(pages_css)},
    {"theme.css", STYLE, theme_css, sizeof(theme_css)},
    {"map.js", SCRIPT, map_js, sizeof(map_js)},
};

const struct pincluster_file *pincluster_clients(void) { return files; }
size_t pincluster_clients_count(void) { return sizeof(files) / sizeof(files[0]); }

const uint8_t *pincluster_map_page(void) { return map_page; }
size_t pincluster_map_page_size(void) { return sizeof(map_page); }
