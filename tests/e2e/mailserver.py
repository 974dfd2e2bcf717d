#!/usr/bin/python3
"""A mail server of Debian's aiosmtpd, which says what it takes: its port, then a line of JSON for each message.

usage: mailserver.py USER PASSWORD [CERTIFICATE KEY]
With a certificate nothing goes before STARTTLS, and nothing without a login. A recipient grey@ is put off once, nobody@ is
unknown. (The system's Python: that is the one with Debian's packages.)"""
import asyncio
import json
import ssl
import sys

try:
    from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword
except ImportError:
    print("python3-aiosmtpd is not installed", flush=True)
    sys.exit(3)

USER, PASSWORD = (w.encode() for w in sys.argv[1:3])


class Taken:
    put_off = set()

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("nobody@"):
            return "550 5.1.1 no such mailbox"
        if address.startswith("grey@") and address not in self.put_off:
            self.put_off.add(address)
            return "451 4.7.1 try again later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        print(json.dumps({"from": envelope.mail_from, "to": envelope.rcpt_tos, "tls": session.ssl is not None,
                          "user": session.auth_data.decode() if session.authenticated else "", "text": envelope.content.decode()}), flush=True)
        return "250 OK"


def login(server, session, envelope, mechanism, data):
    good = isinstance(data, LoginPassword) and (data.login, data.password) == (USER, PASSWORD)
    return AuthResult(success=good, handled=False, auth_data=data.login if good else None)


more = {}
if len(sys.argv) > 4:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*sys.argv[3:5])
    more = {"tls_context": context, "require_starttls": True, "auth_required": True}


async def serve():
    server = await asyncio.get_running_loop().create_server(lambda: SMTP(Taken(), authenticator=login, **more), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(serve())
