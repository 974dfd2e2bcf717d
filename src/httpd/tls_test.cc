// The same server under TLS, spoken to through OpenSSL's client.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/socket.h>
#include <unistd.h>

#include "httpd/httpd.h"

namespace pintle::httpd {
namespace {

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  std::string text(data, static_cast<size_t>(size));
  BIO_free(bio);
  return text;
}

Tls self_signed() {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* x = X509_new();
  X509_gmtime_adj(X509_getm_notBefore(x), 0);
  X509_gmtime_adj(X509_getm_notAfter(x), 3600);
  X509_set_pubkey(x, key);
  X509_sign(x, key, EVP_sha256());
  BIO* certificate = BIO_new(BIO_s_mem());
  BIO* private_key = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(certificate, x);
  PEM_write_bio_PrivateKey(private_key, key, nullptr, nullptr, 0, nullptr, nullptr);
  X509_free(x);
  EVP_PKEY_free(key);
  return {text_of(certificate), text_of(private_key)};
}

int connected(uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return fd;
}

class TlsClient {
 public:
  explicit TlsClient(uint16_t port) : fd_(connected(port)) {
    context_ = SSL_CTX_new(TLS_client_method());
    ssl_ = SSL_new(context_);
    static constexpr unsigned char kOffer[] = "\x02h2\x08http/1.1";
    SSL_set_alpn_protos(ssl_, kOffer, sizeof kOffer - 1);
    SSL_set_fd(ssl_, fd_);
    EXPECT_EQ(SSL_connect(ssl_), 1);
  }
  ~TlsClient() {
    SSL_free(ssl_);
    SSL_CTX_free(context_);
    ::close(fd_);
  }
  void send(const std::string& text) {
    EXPECT_EQ(SSL_write(ssl_, text.data(), static_cast<int>(text.size())),
              static_cast<int>(text.size()));
  }
  std::string read(size_t size) {  // or to the end
    std::string got;
    char bytes[4096];
    int n = 1;
    while (got.size() < size && (n = SSL_read(ssl_, bytes, sizeof bytes)) > 0) {
      got.append(bytes, static_cast<size_t>(n));
    }
    return got;
  }
  std::string protocol() {
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(ssl_, &name, &size);
    return {reinterpret_cast<const char*>(name), size};
  }

 private:
  int fd_;
  SSL_CTX* context_;
  SSL* ssl_;
};

TEST(Tls, CarriesLargeBodiesBothWays) {
  auto server = Server::start({.tls = self_signed()}, [](std::shared_ptr<Exchange> exchange) {
    auto body = std::make_shared<const std::string>(exchange->request().body);
    Response response;
    for (int i = 0; i < 4; ++i) response.body.push_back(body);
    exchange->respond(std::move(response));
  });
  ASSERT_TRUE(server);
  TlsClient client((*server)->port());
  EXPECT_EQ(client.protocol(), "http/1.1");
  for (size_t size : {size_t{1}, size_t{100'000}, size_t{2'000'000}}) {
    const std::string body(size, 'b');
    client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(size) +
                "\r\n\r\n" + body);
    std::string got = client.read(size * 4);
    const size_t head = got.find("\r\n\r\n") + 4;
    if (got.size() < head + size * 4) got += client.read(head + size * 4 - got.size());
    EXPECT_EQ(got.size(), head + size * 4);
    EXPECT_EQ(got.find_first_not_of('b', head), std::string::npos);
  }
}

TEST(Tls, StreamsManySmallFramesWhole) {
  auto server = Server::start({.tls = self_signed()}, [](std::shared_ptr<Exchange> exchange) {
    exchange->start(200, {});
    const Frame line = std::make_shared<const std::string>("0123456789\n");
    for (int i = 0; i < 100'000; ++i) exchange->send(line);
    exchange->finish();
  });
  ASSERT_TRUE(server);
  TlsClient client((*server)->port());
  client.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  const std::string got = client.read(SIZE_MAX);
  const size_t head = got.find("\r\n\r\n") + 4;
  EXPECT_EQ(got.size() - head, 100'000u * (3 + 11 + 2) + 5);
  EXPECT_TRUE(got.ends_with("b\r\n0123456789\n\r\n0\r\n\r\n"));
}

TEST(Tls, ClosesOnWhatIsNoHandshake) {
  auto server = Server::start({.tls = self_signed(), .header_timeout_ms = 300},
                              [](std::shared_ptr<Exchange> e) { e->respond({}); });
  ASSERT_TRUE(server);
  for (const std::string& bytes :
       {std::string("GET / HTTP/1.1\r\n\r\n"), std::string("\x16\x03\x01\xff\xff garbage"),
        std::string()}) {
    const int fd = connected((*server)->port());
    (void)!::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    char c[256];
    ssize_t n;
    while ((n = ::recv(fd, c, sizeof c, 0)) > 0) {  // an alert, perhaps
    }
    EXPECT_LE(n, 0);
    ::close(fd);
  }
  TlsClient still((*server)->port());
  still.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_TRUE(still.read(12).starts_with("HTTP/1.1 200"));
}

}  // namespace
}  // namespace pintle::httpd
