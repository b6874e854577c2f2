/** The tokens of a session: their renewal, and their end when the person signs out. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { newClient } from "../../../console/data/platform.tsx";
import { Session } from "../../../console/session/session.ts";

const addresses = {
  ...{ api: "https://api.example.com", issuer: "https://issuer.example.com", vendor: "vendor" },
  ...{ registry: "https://registry.example.com", registryAudience: "registry.example.com" },
  ...{ audience: "https://api.example.com", issuerName: "https://issuer.example.com" },
};
const owner = { organization: { uid: "", name: "acme" }, owner: { uid: "owner", name: "owner" } };
const digest = `sha256:${"0".repeat(64)}`;

/** The token of a person, without a signature. */
const tokenOf = (sub: string) => `e30.${btoa(JSON.stringify({ sub }))}.x`;

/** The requests so far, as method, URL and Authorization header. */
let sent: string[];
let respond: (url: string) => Response | Promise<Response>;

beforeEach(() => {
  sent = [];
  const storage = { setItem() {}, removeItem() {}, getItem: () => null };
  vi.stubGlobal("sessionStorage", storage);
  vi.stubGlobal("localStorage", storage);
  vi.stubGlobal("fetch", async (url: string, { method = "GET", headers }: RequestInit = {}) => {
    const token = new Headers(headers).get("authorization") ?? "";
    sent.push(`${method} ${url} ${token}`);
    return respond(url);
  });
});
afterEach(() => vi.unstubAllGlobals());

const granted = (sub: string, expires_in = 3600) =>
  Response.json({ access_token: tokenOf(sub), expires_in });

async function signedIn(expiresIn = 3600): Promise<Session> {
  respond = () => granted("owner", expiresIn);
  const session = new Session(addresses, owner);
  await session.signInAsLocalOwner();
  return session;
}

test("a renewal that fails for a moment does not end the session, and the token works until it expires", async () => {
  const session = await signedIn(30);
  for (const status of [429, 503]) {
    respond = () => new Response("slow down", { status });
    expect(await session.token({})).toBe(tokenOf("owner"));
    await expect(session.token({ refused: tokenOf("owner") })).rejects.toThrow(`HTTP ${status}`);
    expect(session.state.kind).toBe("signed-in");
  }
  respond = () => Response.json({ error: "invalid_grant" }, { status: 400 });
  await expect(session.token({})).rejects.toThrow("HTTP 400");
  expect(session.state.kind).toBe("ended");
});

test("a renewal that arrives after the sign-out gives no one a token", async () => {
  const session = await signedIn(1);
  const { promise, resolve } = Promise.withResolvers<Response>();
  respond = () => promise;
  const waiting = session.token({});
  await session.signOut();
  resolve(granted("owner"));
  await expect(waiting).rejects.toThrow("You have signed out.");
  await expect(session.token({})).rejects.toThrow("You are not signed in.");
  expect(session.state.kind).toBe("signed-out");
});

test("a renewal of the session before does not end the next one", async () => {
  const session = await signedIn(1);
  const { promise, resolve } = Promise.withResolvers<Response>();
  respond = () => promise;
  const waiting = session.token({});
  await session.signOut();
  respond = () => granted("owner");
  await session.signInAsLocalOwner();
  resolve(granted("before"));
  await expect(waiting).rejects.toThrow("You have signed out.");
  expect(session.state.kind).toBe("signed-in");
  expect(await session.token({})).toBe(tokenOf("owner"));
});

test("the next person on the page does not use the registry token of the one before", async () => {
  const session = await signedIn();
  const client = newClient(session);
  const expiry = new Date(Date.now() + 3_600_000).toISOString();
  const read = async (token: string) => {
    respond = (url) =>
      url.includes("/sts/exchange")
        ? Response.json({ token, expiry })
        : Response.json({ digest, mediaType: "x", size: 1, manifest: {} });
    await client.contents(`${addresses.registryAudience}/acme/app@${digest}`);
  };
  await read("registry-token-1");
  await session.signOut();
  respond = () => granted("someone-else");
  await session.signInAsLocalOwner();
  await read("registry-token-2");
  const reads = sent.filter((one) => one.includes("/v2/"));
  expect(reads.map((one) => one.split(" ").at(-1))).toEqual([
    "registry-token-1",
    "registry-token-2",
  ]);
});
