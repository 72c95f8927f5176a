"""A web server that is not an MCP server: it responds to every request with an HTML page.

web_page.py PORT
"""

import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

PAGE = b"<!DOCTYPE html><html><body><h1>It works!</h1></body></html>\n"


class Page(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def respond(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)

    do_GET = do_POST = do_DELETE = respond

    def log_message(self, *_):
        pass


HTTPServer(("127.0.0.1", int(sys.argv[1])), Page).serve_forever()
