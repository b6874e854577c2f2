/**
 * An OpenID Connect issuer for trying things out, as a CI system has one: discovery, keys, and a
 * token for whoever asks. `npm run -s demo-issuer -- --port 9090`, then
 * `GET /token?sub=…&aud=…` answers a token of five minutes. Keys live as long as the process.
 */
import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

const { values } = parseArgs({ options: { port: { type: "string", default: "9090" } } });
const issuer = `http://localhost:${values.port}`;
const { privateKey, publicKey } = await generateKeyPair("RS256");
const key = { ...(await exportJWK(publicKey)), kid: "demo", alg: "RS256", use: "sig" };

const token = (query: URLSearchParams) =>
  new SignJWT({})
    .setProtectedHeader({ alg: "RS256", kid: "demo" })
    .setIssuer(issuer)
    .setSubject(query.get("sub") ?? "nobody")
    .setAudience(query.getAll("aud"))
    .setIssuedAt()
    .setExpirationTime("5m")
    .sign(privateKey);

async function answer(url: URL): Promise<{ type: string; text: string } | undefined> {
  const json = (value: unknown) => ({ type: "application/json", text: JSON.stringify(value) });
  switch (url.pathname) {
    case "/.well-known/openid-configuration":
      return json({
        issuer,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ["id_token"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"],
      });
    case "/jwks":
      return json({ keys: [key] });
    case "/token":
      return { type: "text/plain", text: await token(url.searchParams) };
    default:
      return undefined;
  }
}

createServer(async (request, response) => {
  const found = await answer(new URL(request.url ?? "/", issuer));
  if (!found) response.writeHead(404).end();
  else response.writeHead(200, { "content-type": found.type }).end(found.text);
}).listen(Number(values.port), "localhost", () => process.stderr.write(`issuer at ${issuer}\n`));
