/** A stand-in for a DNS-over-HTTPS resolver. Each name contains its own result. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const types: Record<string, number> = { A: 1, AAAA: 28 };
const alias = { name: "alias", type: 5, TTL: 60, data: "elsewhere.example." };

/** The addresses of a name: `10-0-0-1.a.example`, `fd00--1.aaaa.example`, and both for `…and…`. */
function addressesOf(name: string, type: string): string[] {
  const kind = type.toLowerCase();
  const [said = "", of] = name.split(".");
  if (of === "a" || of === "aaaa") {
    const separator = of === "a" ? "." : ":";
    return of === kind ? said.split("and").map((one) => one.replaceAll("-", separator)) : [];
  }
  return type === "A" ? ["93.184.215.14"] : ["2606:2800:21f:cb07:6820:80da:af6b:8b2c"];
}

/**
 * Starts the resolver. `none.example` does not exist, `empty.example` has no address, and `failing.example`
 * cannot be resolved. For `down.example`, `strange.example` and `moved.example` the resolver returns an
 * error, a body that is not JSON, and a redirect. Any other name has a public address, unless `addresses`
 * contains another one, which is IPv4. `log` lists every name in a query.
 */
export async function startResolver() {
  const log: string[] = [];
  const moved = new Map<string, string>();
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "", "http://resolver");
    const [name = "", type = ""] = [searchParams.get("name"), searchParams.get("type")].map(String);
    log.push(name);
    const isAsked = request.headers.accept === "application/dns-json" && type in types;
    if (!isAsked || name === "down.example") return response.writeHead(500).end();
    if (name === "moved.example") return response.writeHead(302, { location: "/" }).end();
    if (name === "strange.example") return response.end("<html>");
    const Status = { "none.example": 3, "failing.example": 2 }[name] ?? 0;
    const own = moved.get(name);
    const hasNone = Status !== 0 || name === "empty.example" || (own && type !== "A");
    const addresses = hasNone ? [] : own ? [own] : addressesOf(name, type);
    const found = addresses.map((data) => ({ name, type: types[type], TTL: 60, data }));
    return response.end(JSON.stringify({ Status, Answer: [alias, ...found] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/dns-query`,
    log,
    addresses: moved,
    close: () => server.close(),
  };
}
