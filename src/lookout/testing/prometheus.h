// A strict reader of Prometheus' text form 0.0.4, for tests: every family has HELP and TYPE once, in
// front of all its samples and nowhere else; names, labels, escapes and numbers are as the form says;
// no series stands twice; histograms are whole and grow.
#pragma once

#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pintle::lookout {

struct Exposition {
  std::string error;                     // the first line that is wrong, and why; "": none
  std::map<std::string, double> series;  // `name{a="b",c="d"}` as written
  std::map<std::string, std::string> types;
  double at(const std::string& name) const {
    const auto it = series.find(name);
    return it == series.end() ? NAN : it->second;
  }
};

class ExpositionReader {
 public:
  static Exposition read(std::string_view text) {
    ExpositionReader r;
    if (text.empty() || text.back() != '\n') r.wrong("", "the text does not end with a line's end");
    while (!text.empty() && r.out_.error.empty()) {
      const size_t end = text.find('\n');
      r.line(text.substr(0, end));
      text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
    r.end_family();
    return std::move(r.out_);
  }

 private:
  struct Sample {
    std::string name;
    std::vector<std::pair<std::string, std::string>> labels;
    double value = 0;
  };
  void wrong(std::string_view line, std::string_view why) {
    if (out_.error.empty()) out_.error = std::string(why) + ": " + std::string(line);
  }
  static bool letter(char c, bool colon) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (colon && c == ':');
  }
  static std::string take_name(std::string_view& in, bool colon) {
    size_t n = 0;
    while (n < in.size() && (letter(in[n], colon) || (n > 0 && in[n] >= '0' && in[n] <= '9'))) ++n;
    std::string out(in.substr(0, n));
    in.remove_prefix(n);
    return out;
  }
  void line(std::string_view whole) {
    std::string_view in = whole;
    const bool help = in.starts_with("# HELP "), type = in.starts_with("# TYPE ");
    if (help || type) {
      in.remove_prefix(7);
      const std::string name = take_name(in, true);
      if (name.empty() || !in.starts_with(' ') || in.size() < 2) return wrong(whole, "a bare head");
      in.remove_prefix(1);
      if (help) {
        end_family();
        if (!families_.insert(name).second) return wrong(whole, "a second HELP");
        for (size_t i = 0; i < in.size(); ++i) {
          if (in[i] != '\\') continue;
          if (++i == in.size() || (in[i] != '\\' && in[i] != 'n')) return wrong(whole, "an escape");
        }
        family_ = name;
        type_.clear();
        return;
      }
      if (name != family_ || !type_.empty()) return wrong(whole, "a TYPE without its HELP before");
      if (in != "counter" && in != "gauge" && in != "histogram") return wrong(whole, "no type");
      type_ = in;
      out_.types[name] = type_;
      return;
    }
    if (in.starts_with('#') || in.empty()) return wrong(whole, "neither head nor sample");
    Sample s;
    const std::string_view before = in;
    s.name = take_name(in, true);
    if (s.name.empty()) return wrong(whole, "no name");
    if (in.starts_with('{') && !labels(in, s)) return wrong(whole, "labels");
    const std::string key(before.substr(0, before.size() - in.size()));
    if (!in.starts_with(' ')) return wrong(whole, "no value");
    const std::string number(in.substr(1));
    char* end = nullptr;
    s.value = std::strtod(number.c_str(), &end);
    if (number.empty() || *end != '\0' || number.find(' ') != number.npos) {
      return wrong(whole, "no number");
    }
    if (!out_.series.emplace(key, s.value).second) return wrong(whole, "a series twice");
    if (type_.empty()) return wrong(whole, "a sample without TYPE");
    const bool of_histogram = type_ == "histogram" && (s.name == family_ + "_bucket" ||
                                                       s.name == family_ + "_sum" ||
                                                       s.name == family_ + "_count");
    if (type_ == "histogram" ? !of_histogram : s.name != family_) {
      return wrong(whole, "not of the family " + family_);
    }
    if (type_ == "counter" && !s.name.ends_with("_total")) return wrong(whole, "a counter's name");
    if (type_ != "gauge" && !(s.value >= 0)) return wrong(whole, "less than nothing");
    if (of_histogram) samples_.push_back(std::move(s));
  }
  static bool labels(std::string_view& in, Sample& s) {
    in.remove_prefix(1);
    std::set<std::string> names;
    for (;;) {
      std::string name = take_name(in, false), value;
      if (name.empty() || !names.insert(name).second || !in.starts_with("=\"")) return false;
      in.remove_prefix(2);
      while (!in.empty() && in[0] != '"') {
        if (in[0] == '\\') {
          if (in.size() < 2 || (in[1] != '\\' && in[1] != '"' && in[1] != 'n')) return false;
          in.remove_prefix(1);
          value += in[0] == 'n' ? '\n' : in[0];
        } else {
          value += in[0];
        }
        in.remove_prefix(1);
      }
      if (in.empty()) return false;
      in.remove_prefix(1);
      s.labels.emplace_back(std::move(name), std::move(value));
      if (in.starts_with('}')) break;
      if (!in.starts_with(',')) return false;
      in.remove_prefix(1);
    }
    in.remove_prefix(1);
    return true;
  }
  // Its buckets grow, in order, to the count, which stands behind them.
  void end_family() {
    struct Whole {
      std::optional<double> last_le, last, count, sum;
    };
    std::map<std::vector<std::pair<std::string, std::string>>, Whole> all;
    for (Sample& s : samples_) {
      std::optional<double> le;
      std::erase_if(s.labels, [&](const auto& l) {
        if (l.first != "le") return false;
        le = std::strtod(l.second.c_str(), nullptr);
        return true;
      });
      Whole& w = all[s.labels];
      if (s.name.ends_with("_sum")) w.sum = s.value;
      if (s.name.ends_with("_count")) w.count = s.value;
      if (!s.name.ends_with("_bucket")) continue;
      if (!le || w.count || (w.last && (s.value < *w.last || *le <= *w.last_le))) {
        wrong(s.name, "a bucket out of order");
      }
      w.last = s.value;
      w.last_le = le;
    }
    for (const auto& [labels, w] : all) {
      if (!w.last_le || !std::isinf(*w.last_le) || !w.count || !w.sum || *w.count != *w.last) {
        wrong(family_, "a histogram that is not whole");
      }
    }
    samples_.clear();
  }

  Exposition out_;
  std::string family_, type_;
  std::set<std::string> families_;
  std::vector<Sample> samples_;
};

}  // namespace pintle::lookout
