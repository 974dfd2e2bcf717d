// What messages say: the event as JSON, through a template, and as a line of text. Inside the sinks
// only. Pure; a template may run for 10,000 rounds and write 256 KiB.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "lookout/sinks/options.h"

namespace pintle::lookout {

std::string time_text(int64_t unix_ms);  // "2026-01-02T03:04:05.678Z"

// kind, namespace and name as one text: "Deployment shop/web".
std::string subject_text(const Subject& subject);
// "release.deployed shop/web revision 3 in eu-1".
std::string headline(const StoredEvent& e);

// Parses only; for checking a subscription.
Status check_template(std::string_view text);
// The template's text for an event, whose data is plain_event's. Error: the template's.
Result<std::string> render_template(std::string_view text, const StoredEvent& e);

// What a chat or a mail says of these events: by template, or a headline with reason and message;
// several become a list of one line each. At most `limit` bytes, cut between runes. `escape` maps
// each piece of text that comes from a cluster, so that it cannot call people or make links.
using Escape = std::string (*)(std::string_view);
Result<std::string> message_text(std::span<const Claimed> events, const SinkOptions& options,
                                 size_t limit, Escape escape);
// Cut to `limit` bytes between runes, with "..." where something was cut.
std::string cut_text(std::string_view text, size_t limit);

// One line for each event, for sinks that append: by template, or its JSON. Error: the template's.
inline constexpr size_t kLinesAtOnce = 100;
Result<std::string> event_lines(std::span<const Claimed> events, const SinkOptions& options);

}  // namespace pintle::lookout
