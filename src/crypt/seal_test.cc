#include "crypt/seal.h"

#include <gtest/gtest.h>

namespace pintle::crypt {
namespace {

TEST(Seal, OpensWithTheSameKeyAndContextOnly) {
  std::string key(32, 'k'), other(32, 'o');
  for (std::string text : {std::string(), std::string("whsec_x"), std::string(5000, '\0')}) {
    std::string sealed = seal(key, text, "subscription/1");
    EXPECT_EQ(sealed.size(), text.size() + 28);
    EXPECT_EQ(open_sealed(key, sealed, "subscription/1").value_or("?"), text);
    EXPECT_FALSE(open_sealed(other, sealed, "subscription/1"));
    EXPECT_FALSE(open_sealed(key, sealed, "subscription/2"));
    EXPECT_NE(seal(key, text, ""), seal(key, text, ""));
  }
}

TEST(Seal, AnyChangedByteIsRefused) {
  std::string key(32, 'k'), sealed = seal(key, "abc", "");
  for (size_t i = 0; i < sealed.size(); ++i) {
    std::string bad = sealed;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    EXPECT_FALSE(open_sealed(key, bad, "")) << i;
    EXPECT_FALSE(open_sealed(key, sealed.substr(0, i), "")) << i;
  }
}

}  // namespace
}  // namespace pintle::crypt
