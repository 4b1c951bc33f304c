"""An HTTP server on loopback that misbehaves as it is told, for tests/cli/data_get.sh.

    server.py FOLDER PORT_FILE LOG MAX_REQUESTS

Serves FOLDER below the first part of a path, which says how:
    /plain/F           as it should be, with ranges
    /cut-N/F           closes the connection after N bytes of each answer
    /norange-N/F       ignores ranges; the first answer is cut after N bytes, later ones are whole
    /liar/F            answers a range with the bytes of another one
    /wrong/F           one byte is flipped
    /long/F            more bytes than the file has
    /nolength-N/F      no Content-Length; ends after N bytes
    /missing/F         404
    /moved/F           redirects to /plain/F
Each request is a line in LOG. Ends after MAX_REQUESTS of them, or when nothing comes for a minute.
"""
import http.server
import os
import re
import sys

folder, port_file, log, most = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
cut_once = set()


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_GET(self):
        wanted = self.headers.get("Range", "")
        with open(log, "a") as out:
            out.write(self.path + " " + wanted + "\n")
        _, how, name = self.path.split("/", 2)
        how, _, number = how.partition("-")
        number = int(number or 0)
        if how == "moved":
            self.send_response(302)
            self.send_header("Location", "/plain/" + name)
            self.end_headers()
            return
        path = os.path.join(folder, name)
        if how == "missing" or not os.path.exists(path):
            self.send_error(404)
            return
        with open(path, "rb") as f:
            data = f.read()
        if how == "wrong":
            data = data[:5] + bytes([data[5] ^ 1]) + data[6:]
        if how == "long":
            data += b"more"
        first, match = 0, re.match(r"bytes=(\d+)-$", wanted)
        if match and how not in ("norange", "nolength"):
            first = int(match.group(1))
            if first >= len(data):
                self.send_error(416)
                return
            self.send_response(206)
            first -= 1 if how == "liar" else 0
            self.send_header("Content-Range", "bytes %d-%d/%d" % (first, len(data) - 1, len(data)))
        else:
            self.send_response(200)
        body = data[first:]
        if how != "nolength":
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if how in ("cut", "nolength") or (how == "norange" and self.path not in cut_once):
            cut_once.add(self.path)
            body = body[:number]
        self.wfile.write(body)
        self.close_connection = True


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
server.timeout = 60
with open(port_file + ".part", "w") as out:
    out.write("%d\n" % server.server_port)
os.rename(port_file + ".part", port_file)
for _ in range(most):
    server.handle_request()
