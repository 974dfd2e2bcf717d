#include "render/errors.h"

#include <optional>
#include <vector>

#include "base/gotext.h"
#include "base/strings.h"
#include "funcs/funcs.h"
#include "tmpl/tmpl.h"

namespace pintle::render {

namespace {

// One link of the chain: template: PLACE: executing "NAME" at <CODE>: MESSAGE
struct Link {
  std::string place, message, executing;
  bool operator==(const Link&) const = default;
};

std::string without_inner(std::string_view message) {
  return std::string(message.substr(0, message.find(" template:")));
}

std::optional<Link> executing_link(std::string_view rest) {
  constexpr std::string_view kMark = ": executing ", kAt = " at <", kEnd = ">: ";
  size_t mark = rest.find(kMark);
  if (mark == std::string_view::npos) return std::nullopt;
  std::string_view place = rest.substr(0, mark);
  rest.remove_prefix(mark + kMark.size());
  if (!rest.starts_with('"')) return std::nullopt;
  size_t quote_end = rest.find('"', 1);
  if (quote_end == std::string_view::npos) return std::nullopt;
  std::string_view name = rest.substr(1, quote_end - 1);
  rest.remove_prefix(quote_end + 1);
  if (!rest.starts_with(kAt)) return std::nullopt;
  rest.remove_prefix(kAt.size());
  size_t end = rest.find(kEnd);
  if (end == std::string_view::npos) return std::nullopt;
  return Link{std::string(place), without_inner(rest.substr(end + kEnd.size())),
              cat("executing \"", name, "\" at <", rest.substr(0, end), ">:")};
}

std::optional<Link> read_link(std::string_view text) {
  constexpr std::string_view kPrefix = "template: ";
  if (!text.starts_with(kPrefix)) return std::nullopt;
  std::string_view rest = text.substr(kPrefix.size());
  if (rest.starts_with("no template ")) return Link{"", std::string(text), ""};
  if (auto link = executing_link(rest)) return link;
  size_t last = rest.rfind(": ");
  if (last == std::string_view::npos) return std::nullopt;
  return Link{std::string(rest.substr(0, last)), without_inner(rest.substr(last + 2)), ""};
}

std::string printed(const Link& link) {
  std::string out;
  if (!link.place.empty()) out += link.place + "\n  ";
  if (!link.executing.empty()) out += link.executing + "\n    ";
  if (!link.message.empty()) out += link.message + "\n";
  return out;
}

// What required and fail put between their marks, the widest such span.
std::optional<std::string_view> marked(std::string_view text) {
  size_t start = text.find(funcs::kErrStart);
  if (start == std::string_view::npos) return std::nullopt;
  start += funcs::kErrStart.size();
  size_t end = text.rfind(funcs::kErrEnd);
  if (end == std::string_view::npos || end < start) return std::nullopt;
  return text.substr(start, end - start);
}

}  // namespace

Error parse_error(std::string_view file, const Error& error) {
  auto tokens = split(error.text(), ": ");
  if (tokens.size() == 1) {
    return Error::with_cause(cat("parse error in (", file, "): ", error.text()), error);
  }
  return Error::with_cause(cat("parse error at (", tokens[1], "): ", tokens.back()), error);
}

Error execution_error(std::string_view file, const Error& error, bool helm3) {
  if (error.find<tmpl::Location>() == nullptr) return error;
  const std::string& text = error.text();
  size_t first = text.find(": ");
  size_t second = first == std::string::npos ? first : text.find(": ", first + 2);
  if (second == std::string::npos) {
    return Error::with_cause(cat("execution error in (", file, "): ", text), error);
  }
  std::string_view place = std::string_view(text).substr(first + 2, second - first - 2);
  if (auto message = marked(std::string_view(text).substr(second + 2))) {
    return Error::with_cause(cat("execution error at (", place, "): ", *message), error);
  }
  if (error.find<tmpl::LimitReached>() != nullptr && text.find(file) == std::string::npos) {
    // A limit is met far inside, maybe in a text given to tpl: say which file went there.
    return Error::with_cause(cat("execution error in (", file, "): ", text), error);
  }
  if (helm3) return error;
  std::vector<Link> links;
  for (const Error* e = &error; e != nullptr; e = e->cause()) {
    auto link = read_link(e->text());
    if (!link) return error;
    if (links.empty() || !(links.back() == *link)) links.push_back(std::move(*link));
  }
  std::string out;
  for (const auto& link : links) out += printed(link);
  return Error::with_cause(std::string(trim_space(out)), error);
}

}  // namespace pintle::render
