#include "tmpl/lexer.h"

#include <gtest/gtest.h>

namespace pintle::tmpl {
namespace {

// Every token as Go prints it, joined by spaces.
std::string tokens(std::string_view text) {
  Lexer lexer(text, true, true);
  std::string out;
  for (;;) {
    Token t = lexer.next();
    if (!out.empty()) out += ' ';
    out += lexer.describe(t);
    if (t.kind == TokenKind::kEof || t.kind == TokenKind::kError) return out;
  }
}

struct Case {
  const char* claim;
  const char* text;
  const char* want;
};

class Tokens : public testing::TestWithParam<Case> {};

TEST_P(Tokens, AreGos) { EXPECT_EQ(tokens(GetParam().text), GetParam().want); }

INSTANTIATE_TEST_SUITE_P(
    Lexer, Tokens,
    testing::Values(
        Case{"text_alone", "a { b }}", "\"a { b }}\" EOF"},
        Case{"trim_markers", "a \n{{- 1 -}}\n b", "\"a\" \"{{\" \"1\" \"}}\" \"b\" EOF"},
        Case{"minus_without_space_is_a_number", "{{-1}}", "\"{{\" \"-1\" \"}}\" EOF"},
        Case{"comments_vanish", "a{{/* x }} */}}b{{- /* y */ -}} c", "\"a\" \"b\" \"c\" EOF"},
        Case{"spaces_before_the_closing_marker", "{{ 1  -}} a",
             "\"{{\" \" \" \"1\" \" \" \"}}\" \"a\" EOF"},
        Case{"chains_are_one_token_each", "{{$x.y.z}}", "\"{{\" \"$x\" \".y\" \".z\" \"}}\" EOF"},
        Case{"keywords", "{{if nil}}", "\"{{\" <if> \" \" <nil> \"}}\" EOF"},
        Case{"dot_is_a_keyword", "{{.}}", "\"{{\" <.> \"}}\" EOF"},
        Case{"long_tokens_are_cut", "{{\"abcdefghijkl\"}}",
             "\"{{\" \"\\\"abcdefghi\"... \"}}\" EOF"},
        Case{"complex", "{{1+2i}}", "\"{{\" \"1+2i\" \"}}\" EOF"},
        Case{"letters_beyond_ascii", "{{.é}}", "\"{{\" \".é\" \"}}\" EOF"},
        Case{"unclosed_action", "{{ 1", "\"{{\" \" \" \"1\" unclosed action"},
        Case{"unclosed_comment", "{{/* x", "unclosed comment"},
        Case{"comment_needs_its_end", "{{/* x */ }}", "comment ends before closing delimiter"},
        Case{"unclosed_paren", "{{(}}", "\"{{\" \"(\" unclosed left paren"},
        Case{"right_paren", "{{)}}", "\"{{\" unexpected right paren"},
        Case{"bad_number", "{{1a}}", "\"{{\" bad number syntax: \"1a\""},
        Case{"bad_character", "{{.a-b}}", "\"{{\" bad character U+002D '-'"},
        Case{"control_character", "{{\x01}}", "\"{{\" unrecognized character in action: U+0001"},
        Case{"unterminated_string", "{{\"a\n\"}}", "\"{{\" unterminated quoted string"},
        Case{"unterminated_raw", "{{`a}}", "\"{{\" unterminated raw quoted string"},
        Case{"unterminated_char", "{{'a}}", "\"{{\" unterminated character constant"}),
    [](const auto& info) { return info.param.claim; });

TEST(Lexer, BreakIsAWordWhenAFunctionHasTheName) {
  Lexer lexer("{{break}}", false, true);
  lexer.next();
  EXPECT_EQ(lexer.next().kind, TokenKind::kIdentifier);
}

}  // namespace
}  // namespace pintle::tmpl
