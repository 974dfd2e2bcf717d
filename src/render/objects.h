// The values a template sees beside its own: .Capabilities, .Chart, .Release, and the methods of
// .Values and .Files. Inside this room only.
#pragma once

#include "chart/chart.h"
#include "render/render.h"
#include "value/func.h"
#include "value/value.h"

namespace pintle::render {

value::Value capabilities_value(const Capabilities& capabilities);
value::Value release_value(const ReleaseOptions& release);

// Helm 4: a map of Go field names. Helm 3: a struct, whose unknown fields are errors.
value::Value chart_value(const chart::Chart& chart, bool helm3);
// engine.files: path -> bytes, which stay the chart's: it outlives every value of the rendering.
value::Value files_value(const chart::Chart& chart);

// tmpl::Set::MethodLookup of common.Values (YAML, Table, AsMap, Encode, PathValue) and engine.files
// (Get, GetBytes, Glob, Lines, AsConfig, AsSecrets).
const value::FuncDef* values_method(std::string_view name);
const value::FuncDef* files_method(std::string_view name);

}  // namespace pintle::render
