// SPDX-License-Identifier: Apache-2.0

#include "InspectorFiles.h"

// A test compares this list with what the page loads.

// Clang reads it in all versions of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char inspector_attributes_js[] = {
#embed "../../Clients/inspector/attributes.js"
};
static const unsigned char inspector_camera_js[] = {
#embed "../../Clients/inspector/camera.js"
};
static const unsigned char inspector_dom_js[] = {
#embed "../../Clients/inspector/dom.js"
};
static const unsigned char inspector_editing_js[] = {
#embed "../../Clients/inspector/editing.js"
};
static const unsigned char inspector_editor_js[] = {
#embed "../../Clients/inspector/editor.js"
};
static const unsigned char inspector_fields_js[] = {
#embed "../../Clients/inspector/fields.js"
};
static const unsigned char inspector_figures_panel_js[] = {
#embed "../../Clients/inspector/figures-panel.js"
};
static const unsigned char inspector_figures_js[] = {
#embed "../../Clients/inspector/figures.js"
};
static const unsigned char inspector_form_model_js[] = {
#embed "../../Clients/inspector/form-model.js"
};
static const unsigned char inspector_form_js[] = {
#embed "../../Clients/inspector/form.js"
};
static const unsigned char inspector_history_js[] = {
#embed "../../Clients/inspector/history.js"
};
static const unsigned char inspector_icon_svg[] = {
#embed "../../Clients/inspector/icon.svg"
};
static const unsigned char inspector_index_html[] = {
#embed "../../Clients/inspector/index.html"
};
static const unsigned char inspector_inspector_css[] = {
#embed "../../Clients/inspector/inspector.css"
};
static const unsigned char inspector_main_js[] = {
#embed "../../Clients/inspector/main.js"
};
static const unsigned char inspector_meter_js[] = {
#embed "../../Clients/inspector/meter.js"
};
static const unsigned char inspector_motion_js[] = {
#embed "../../Clients/inspector/motion.js"
};
static const unsigned char inspector_overlay_js[] = {
#embed "../../Clients/inspector/overlay.js"
};
static const unsigned char inspector_painters_js[] = {
#embed "../../Clients/inspector/painters.js"
};
static const unsigned char inspector_pointers_js[] = {
#embed "../../Clients/inspector/pointers.js"
};
static const unsigned char inspector_presets_js[] = {
#embed "../../Clients/inspector/presets.js"
};
static const unsigned char inspector_samples_js[] = {
#embed "../../Clients/inspector/samples.js"
};
static const unsigned char inspector_scene_js[] = {
#embed "../../Clients/inspector/scene.js"
};
static const unsigned char inspector_stage_js[] = {
#embed "../../Clients/inspector/stage.js"
};
static const unsigned char inspector_theme_js[] = {
#embed "../../Clients/inspector/theme.js"
};
static const unsigned char inspector_timeline_js[] = {
#embed "../../Clients/inspector/timeline.js"
};
static const unsigned char inspector_transitions_js[] = {
#embed "../../Clients/inspector/transitions.js"
};
static const unsigned char inspector_view_link_js[] = {
#embed "../../Clients/inspector/view-link.js"
};
static const unsigned char web_src_backoff_js[] = {
#embed "../../Clients/web/src/backoff.js"
};
static const unsigned char web_src_bytes_js[] = {
#embed "../../Clients/web/src/bytes.js"
};
static const unsigned char web_src_changes_js[] = {
#embed "../../Clients/web/src/changes.js"
};
static const unsigned char web_src_checksum_js[] = {
#embed "../../Clients/web/src/checksum.js"
};
static const unsigned char web_src_client_js[] = {
#embed "../../Clients/web/src/client.js"
};
static const unsigned char web_src_effects_js[] = {
#embed "../../Clients/web/src/effects.js"
};
static const unsigned char web_src_errors_js[] = {
#embed "../../Clients/web/src/errors.js"
};
static const unsigned char web_src_fields_js[] = {
#embed "../../Clients/web/src/fields.js"
};
static const unsigned char web_src_messages_js[] = {
#embed "../../Clients/web/src/messages.js"
};
static const unsigned char web_src_mirror_js[] = {
#embed "../../Clients/web/src/mirror.js"
};
static const unsigned char web_src_packed_js[] = {
#embed "../../Clients/web/src/packed.js"
};
static const unsigned char web_src_scalars_js[] = {
#embed "../../Clients/web/src/scalars.js"
};
static const unsigned char web_src_session_js[] = {
#embed "../../Clients/web/src/session.js"
};
static const unsigned char web_src_table_js[] = {
#embed "../../Clients/web/src/table.js"
};
static const unsigned char web_src_transport_js[] = {
#embed "../../Clients/web/src/transport.js"
};
static const unsigned char web_src_viewer_js[] = {
#embed "../../Clients/web/src/viewer.js"
};
static const unsigned char web_src_wire_js[] = {
#embed "../../Clients/web/src/wire.js"
};

static const InspectorFile files[] = {
    {"/inspector/attributes.js", inspector_attributes_js, sizeof inspector_attributes_js},
    {"/inspector/camera.js", inspector_camera_js, sizeof inspector_camera_js},
    {"/inspector/dom.js", inspector_dom_js, sizeof inspector_dom_js},
    {"/inspector/editing.js", inspector_editing_js, sizeof inspector_editing_js},
    {"/inspector/editor.js", inspector_editor_js, sizeof inspector_editor_js},
    {"/inspector/fields.js", inspector_fields_js, sizeof inspector_fields_js},
    {"/inspector/figures-panel.js", inspector_figures_panel_js, sizeof inspector_figures_panel_js},
    {"/inspector/figures.js", inspector_figures_js, sizeof inspector_figures_js},
    {"/inspector/form-model.js", inspector_form_model_js, sizeof inspector_form_model_js},
    {"/inspector/form.js", inspector_form_js, sizeof inspector_form_js},
    {"/inspector/history.js", inspector_history_js, sizeof inspector_history_js},
    {"/inspector/icon.svg", inspector_icon_svg, sizeof inspector_icon_svg},
    {"/inspector/index.html", inspector_index_html, sizeof inspector_index_html},
    {"/inspector/inspector.css", inspector_inspector_css, sizeof inspector_inspector_css},
    {"/inspector/main.js", inspector_main_js, sizeof inspector_main_js},
    {"/inspector/meter.js", inspector_meter_js, sizeof inspector_meter_js},
    {"/inspector/motion.js", inspector_motion_js, sizeof inspector_motion_js},
    {"/inspector/overlay.js", inspector_overlay_js, sizeof inspector_overlay_js},
    {"/inspector/painters.js", inspector_painters_js, sizeof inspector_painters_js},
    {"/inspector/pointers.js", inspector_pointers_js, sizeof inspector_pointers_js},
    {"/inspector/presets.js", inspector_presets_js, sizeof inspector_presets_js},
    {"/inspector/samples.js", inspector_samples_js, sizeof inspector_samples_js},
    {"/inspector/scene.js", inspector_scene_js, sizeof inspector_scene_js},
    {"/inspector/stage.js", inspector_stage_js, sizeof inspector_stage_js},
    {"/inspector/theme.js", inspector_theme_js, sizeof inspector_theme_js},
    {"/inspector/timeline.js", inspector_timeline_js, sizeof inspector_timeline_js},
    {"/inspector/transitions.js", inspector_transitions_js, sizeof inspector_transitions_js},
    {"/inspector/view-link.js", inspector_view_link_js, sizeof inspector_view_link_js},
    {"/web/src/backoff.js", web_src_backoff_js, sizeof web_src_backoff_js},
    {"/web/src/bytes.js", web_src_bytes_js, sizeof web_src_bytes_js},
    {"/web/src/changes.js", web_src_changes_js, sizeof web_src_changes_js},
    {"/web/src/checksum.js", web_src_checksum_js, sizeof web_src_checksum_js},
    {"/web/src/client.js", web_src_client_js, sizeof web_src_client_js},
    {"/web/src/effects.js", web_src_effects_js, sizeof web_src_effects_js},
    {"/web/src/errors.js", web_src_errors_js, sizeof web_src_errors_js},
    {"/web/src/fields.js", web_src_fields_js, sizeof web_src_fields_js},
    {"/web/src/messages.js", web_src_messages_js, sizeof web_src_messages_js},
    {"/web/src/mirror.js", web_src_mirror_js, sizeof web_src_mirror_js},
    {"/web/src/packed.js", web_src_packed_js, sizeof web_src_packed_js},
    {"/web/src/scalars.js", web_src_scalars_js, sizeof web_src_scalars_js},
    {"/web/src/session.js", web_src_session_js, sizeof web_src_session_js},
    {"/web/src/table.js", web_src_table_js, sizeof web_src_table_js},
    {"/web/src/transport.js", web_src_transport_js, sizeof web_src_transport_js},
    {"/web/src/viewer.js", web_src_viewer_js, sizeof web_src_viewer_js},
    {"/web/src/wire.js", web_src_wire_js, sizeof web_src_wire_js},
};

const InspectorFile *inspector_files(void) { return files; }

long inspector_file_count(void) { return sizeof files / sizeof files[0]; }
