/** The people who log in at the organization of the races, and its identity providers. */
import { createHash } from "node:crypto";
import { SignJWT } from "jose";
import { newKey } from "../issuer/foreign_issuer.ts";
import { issuer as platform, tokenFor } from "../world/platform.ts";
import type { Maker } from "./maker.ts";
import type { HttpCall } from "./protocol.ts";
import type { Upstream } from "./upstream.ts";

export interface RaceTree {
  /** Two identities with every capability on the organization. They make the two calls. */
  callers: [string, string];
  /** The access of the callers, by their tokens. */
  held: Record<string, { identity: string; binding: string; role: string }>;
  owner: string;
  roles: { owner: string; editor: string; viewer: string };
  /** The organization is verified, and has the name of the domain. */
  organization: string;
  domain: string;
  /** A group that contains only a role binding. */
  leaf: string;
  /** A group with a group below it, and an account association. */
  branch: string;
  twig: string;
  /** A person from outside the organization, and the binding that waits for them. */
  guest: string;
  guestToken: string;
  pending: string;
  /** The binding of the second owner. */
  secondOwner: string;
  /**
   * An identity of the organization, its bindings there and at the leaf, and an identity without a binding.
   */
  bot: string;
  botToken: string;
  binding: string;
  bindingAtLeaf: string;
  spare: string;
  /** Keys of the bot and of the spare one. */
  botKey: string;
  spareKey: string;
  /** A session of the guest. */
  session: string;
  /** A role that nothing uses, and the role of the binding. */
  role: string;
  usedRole: string;
  invite: string;
  inviteCode: string;
  single: string;
  singleCode: string;
  subscription: string;
  delivery: string;
  /** Resources that are created from their protos, by service. */
  standard: Record<string, string>;
  /** The code of a login that waits for a client, and an unused code. */
  waiting: string;
  headless: string;
}

export interface PeopleFixtures {
  /** Three providers: one that never had a SCIM token, one that has one, and one that provisions. */
  plain: string;
  tokened: string;
  provisioning: string;
  /** Those of `tokened` and of `provisioning` at the start. */
  etags: { tokened: string; provisioning: string };
  scimToken: string;
  /** The id of ann's provisioned user. */
  scimUser: string;
  /** A role mapping of the external group `developers` on `plain`. */
  mapping: string;
  /** A person who has logged in at both, and her token that does not come from a login. */
  ann: string;
  annToken: string;
  /** The uid that zed will get. */
  zed: string;
  /** ID tokens of ann, without and with groups, and of zed, who is unknown. */
  idTokens: { ann: string; mapped: string; zed: string };
  /** A token of the same person for the platform itself. */
  bareZed: string;
  /** An identity with its own keys, and a token signed with them. */
  device: string;
  deviceToken: string;
  /** The refresh tokens of ann, by provider. */
  refresh: { plain: string; provisioning: string };
  /**
   * Logins that wait for their callback, with a refresh token and for a waiting program. Those with an invite wait for
   * the answer of the person.
   */
  callbacks: Record<"refreshing" | "invited" | "single" | "headless" | "newcomer", HttpCall>;
}

const redirect = "http://127.0.0.1:9/callback";
const annSays = { sub: "ann", name: "Ann A", email: "ann@corp.example", email_verified: true };
const zedSays = { sub: "zed", name: "Zed Z", email: "zed@corp.example", email_verified: true };

export const providerBody = ({ url }: Upstream, name: string, defaultRole: string) => ({
  ...{ name, defaultRole },
  oidc: { issuer: url, clientId: "public", clientSecret: "secret", groupsClaim: "groups" },
});

const personUidOf = (issuer: string, subject: string) =>
  createHash("sha256").update(`${issuer}\n${subject}`).digest("hex").slice(0, 40);

/** The cookie of a person's browser, and the address where their provider sends it, up to the callback. */
class Logins {
  readonly #maker: Maker;
  readonly #upstream: Upstream;

  constructor(maker: Maker, upstream: Upstream) {
    this.#maker = maker;
    this.#upstream = upstream;
  }

  /** Starts a login. A test can send its callback any number of times. */
  async begin(
    idp: string,
    person: Record<string, unknown>,
    query: Record<string, string>,
  ): Promise<HttpCall> {
    const asked = new URLSearchParams({ idp_id: idp, ...query });
    const { location, cookie } = await this.#onward(asked);
    const { nonce, state = "", redirect_uri = "" } = Object.fromEntries(location.searchParams);
    const code = createHash("sha256").update(state).digest("hex");
    const { pages, sign } = this.#upstream;
    pages.codes[code] = await sign({ nonce, ...person });
    await this.#maker.stage.serve(pages);
    const { pathname } = new URL(redirect_uri);
    const path = `${pathname}?${new URLSearchParams({ code, state })}`;
    return { method: "GET", path, headers: { cookie } };
  }

  /** Starts a login with an invite, up to the page that asks. A test can send the acceptance any number of times. */
  async beginWithInvite(
    idp: string,
    person: Record<string, unknown>,
    invite: string,
  ): Promise<HttpCall> {
    const { path, headers } = await this.begin(idp, person, { redirect, invite });
    const page = await fetch(`${this.#maker.stage.url}${path}`, { headers, redirect: "manual" });
    const [, question = ""] = /name="question" value="([^"]+)"/.exec(await page.text()) ?? [];
    return {
      ...{ method: "POST", path: "/oauth/invite" },
      headers: {
        cookie: cookieOf(page.headers),
        "content-type": "application/x-www-form-urlencoded",
      },
      body: String(new URLSearchParams({ question, answer: "accept" })),
    };
  }

  async #onward(query: URLSearchParams) {
    const { stage, ask } = this.#maker;
    const page = await ask("GET", `/oauth?${query}`);
    if (page.status === 302) return at(page.headers, page.headers.get("location") ?? "");
    const [, state = ""] = /name="state" value="([^"]+)"/.exec(page.body) ?? [];
    const confirmed = await fetch(`${stage.url}/oauth/confirm`, {
      method: "POST",
      headers: { cookie: cookieOf(page.headers) },
      body: new URLSearchParams({ state }),
    });
    const [, next = ""] = /content="0;url=([^"]+)"/.exec(await confirmed.text()) ?? [];
    return at(confirmed.headers, next.replaceAll("&amp;", "&"));
  }
}

const cookieOf = (headers: Headers) => (headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
const at = (headers: Headers, location: string) => ({
  location: new URL(location),
  cookie: cookieOf(headers),
});

/** Ends a login and returns its refresh token. */
async function refreshTokenOf({ stage }: Maker, { path, headers }: HttpCall): Promise<string> {
  const response = await fetch(`${stage.url}${path}`, { headers, redirect: "manual" });
  const location = new URL(response.headers.get("location") ?? "about:blank");
  const token = location.searchParams.get("refresh_token");
  if (!token) throw new Error(`no refresh token: ${location}`);
  return token;
}

async function makeProviders({ make, ask }: Maker, tree: RaceTree, upstream: Upstream) {
  const { organization, owner, roles } = tree;
  const newOne = async (name: string) => {
    const body = providerBody(upstream, name, roles.viewer);
    return (await make(`/iam/v2/identityProviders/${organization}`, owner, body)).uid;
  };
  const path = "/iam/v2/identityProviders";
  const [plain, tokened, provisioning] = [
    await newOne("plain"),
    await newOne("tokened"),
    await newOne("provisioning"),
  ];
  const one = await make(`${path}/${tokened}:generateScimToken`, owner, {});
  const two = await make(`${path}/${provisioning}:generateScimToken`, owner, {});
  const on = { enabled: true, etag: two.etag };
  const enabled = await make(`${path}/${provisioning}:setScimEnabled`, owner, on);
  const scimToken = two.token ?? "";
  const user = await ask("POST", `/scim/v2/${provisioning}/Users`, scimToken, {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
    ...{ userName: "ann", externalId: "ann" },
  });
  if (user.status !== 201) throw new Error(JSON.stringify(user.body));
  const { uid: mapping } = await make(`/iam/v2/externalGroupRoleMappings/${plain}`, owner, {
    ...{ externalGroupId: "developers", roleUid: roles.viewer, scope: organization },
  });
  const etags = { tokened: one.etag ?? "", provisioning: enabled.etag ?? "" };
  const scimUser: string = user.body.id;
  return { plain, tokened, provisioning, etags, scimToken, scimUser, mapping };
}

async function makeDevice({ make }: Maker, { organization, owner }: RaceTree) {
  const { jwk, header, privateKey } = await newKey();
  const issuer = "https://keys.invalid";
  const staticKeys = { issuer, subject: "device", issuerKeys: JSON.stringify({ keys: [jwk] }) };
  const body = { name: "device", staticKeys };
  const { uid } = await make(`/iam/v2/identities/${organization}`, owner, body);
  const deviceToken = await new SignJWT({ iss: issuer, sub: "device", aud: platform })
    .setProtectedHeader(header)
    .setExpirationTime("4h")
    .sign(privateKey);
  return { device: uid, deviceToken };
}

export async function makePeopleFixtures(
  maker: Maker,
  tree: RaceTree,
  upstream: Upstream,
): Promise<PeopleFixtures> {
  const providers = await makeProviders(maker, tree, upstream);
  const { plain, provisioning } = providers;
  const logins = new Logins(maker, upstream);
  const remembered = { redirect, create_refresh_token: "true" };
  const refresh = {
    plain: await refreshTokenOf(maker, await logins.begin(plain, annSays, remembered)),
    provisioning: await refreshTokenOf(
      maker,
      await logins.begin(provisioning, annSays, remembered),
    ),
  };
  const [row] = await maker.stage.sql<{ uid: string }>(
    "select uid from identities where email = 'ann@corp.example'",
  );
  const ann = row?.uid ?? "";
  const act = { iss: upstream.url, sub: "ann", aud: "public" };
  const { sub: _, name: __, ...email } = annSays;
  return {
    ...{ ...providers, ...(await makeDevice(maker, tree)), refresh, ann },
    zed: personUidOf(upstream.url, zedSays.sub),
    annToken: await tokenFor(ann, { ...email, act }, 4 * 3600),
    idTokens: {
      ann: await upstream.sign(annSays),
      mapped: await upstream.sign({ ...annSays, groups: ["developers"] }),
      zed: await upstream.sign(zedSays),
    },
    bareZed: await upstream.sign({ ...zedSays, aud: platform }),
    callbacks: {
      refreshing: await logins.begin(plain, { ...annSays, name: "Ann B" }, remembered),
      invited: await logins.beginWithInvite(plain, annSays, tree.inviteCode),
      single: await logins.beginWithInvite(plain, annSays, tree.singleCode),
      headless: await logins.begin(plain, annSays, { headless_code: tree.headless }),
      newcomer: await logins.beginWithInvite(plain, zedSays, tree.singleCode),
    },
  };
}
