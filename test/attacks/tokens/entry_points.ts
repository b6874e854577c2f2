/**
 * The doors: the calls that read a token, and their statuses for a refused one. A user name of Basic credentials, a grant
 * of the token endpoint and an exchange must be here (doors.test.ts), so that every forged token is tried at it.
 */
import { audience } from "../../world/platform.ts";
import { bearerHeader, type RawAnswer, sendRaw } from "../raw_call.ts";

export interface TokenEntryPoint {
  ask: (token: string) => Promise<RawAnswer>;
  refuses: number[];
  /** The name of the door in the table of the code: a user name, a grant or an RPC. */
  door?: string;
}

const get = (path: string) => (token: string) => sendRaw({ path, headers: [bearerHeader(token)] });
const post =
  (path: string, body = "") =>
  (token: string) =>
    sendRaw({ method: "POST", path, headers: [bearerHeader(token), json], body });
const json: [string, string] = ["content-type", "application/json"];

/** Sends the token as the password of Basic credentials. */
const basic =
  (path: string, user: string | ((token: string) => string)) =>
  (token: string): Promise<RawAnswer> => {
    const name = typeof user === "string" ? user : user(token);
    const credentials = Buffer.from(`${name}:${token}`).toString("base64");
    return sendRaw({ path, headers: [["authorization", `Basic ${credentials}`]] });
  };

/** Sends the token as a parameter of a form. */
const form =
  (path: string, parameter: string, others: Record<string, string>) =>
  (token: string): Promise<RawAnswer> =>
    sendRaw({
      method: "POST",
      path,
      headers: [["content-type", "application/x-www-form-urlencoded"]],
      body: new URLSearchParams({ ...others, [parameter]: token }).toString(),
    });

const registryRefuses = { refuses: [401, 403] };
const grantType = (name: string) => `urn:ietf:params:oauth:grant-type:${name}`;

/** A door at `/oauth/token`. A refused token is an error of OAuth. */
const grant = (
  door: string,
  parameter: string,
  others: Record<string, string> = {},
): TokenEntryPoint => ({
  ask: form("/oauth/token", parameter, { grant_type: door, ...others }),
  refuses: [400],
  door,
});

const exchangeGrant = (more: Record<string, string> = {}) =>
  grant(grantType("token-exchange"), "subject_token", {
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    ...more,
  });
const assertionGrant = (more: Record<string, string> = {}) =>
  grant(grantType("jwt-bearer"), "assertion", more);
const exchange = (query = "") => ({
  ask: get(`/sts/exchange?aud=${audience}${query}`),
  refuses: [403],
  door: "Exchange",
});

/** The calls that accept an access token, in an organization with a repository `image`. */
export const accessTokenEntryPoints = (organization: string): Record<string, TokenEntryPoint> => {
  const scope = `repository:${organization}/image:pull`;
  return {
    REST: { ask: get(`/iam/v2/groups/${organization}`), refuses: [401] },
    "REST of version 1": { ask: get("/auth/v1/ok"), refuses: [401] },
    Connect: {
      ask: post("/platform.iam.v2.GroupsService/GetGroup", JSON.stringify({ uid: organization })),
      refuses: [401],
    },
    exchange: exchange(),
    "token exchange (RFC 8693)": exchangeGrant(),
    "assertion (RFC 7523)": assertionGrant(),
    "registry token": { ask: get(`/token?scope=${scope}`), ...registryRefuses },
    "registry login as _token": {
      ask: basic(`/token?scope=${scope}`, "_token"),
      ...registryRefuses,
      door: "_token",
    },
    "registry login by a refresh token": {
      ask: form("/token", "refresh_token", { grant_type: "refresh_token", scope }),
      ...registryRefuses,
    },
    "tag history": {
      ask: get(`/v2/${organization}/image/_vendor/history/latest`),
      ...registryRefuses,
    },
  };
};

/**
 * The calls for other kinds of tokens, which never accept a token of the platform. `identity` is one that accepts tokens
 * of another issuer.
 */
export const otherTokenEntryPoints = (
  provider: string,
  identity: string,
): Record<string, TokenEntryPoint> => ({
  refresh: {
    ask: post(`/sts/exchange_refresh_token?aud=${audience}`),
    refuses: [403],
    door: "ExchangeRefreshToken",
  },
  "refresh token of OAuth": grant("refresh_token", "refresh_token", { client_id: "console" }),
  "authorization code": grant("authorization_code", "code", { client_id: "console" }),
  "device code": grant(grantType("device_code"), "device_code", { client_id: "console" }),
  SCIM: { ask: get(`/scim/v2/${provider}/Users`), refuses: [401] },
  ...workloadLogins(identity),
  "registry login as key": { ask: basic("/token", "key"), refuses: [401], door: "key" },
  "registry login with the token as the user name": {
    ask: basic("/token", (token) => token),
    refuses: [401],
  },
});

/** The logins at the registry with the token of a workload. */
const workloadLogins = (identity: string): Record<string, TokenEntryPoint> => ({
  "registry login as oidc": { ask: basic("/token", "oidc"), ...registryRefuses, door: "oidc" },
  "registry login as oidc, in a form": {
    ask: form("/token", "password", { grant_type: "password", username: "oidc" }),
    ...registryRefuses,
  },
  "registry login as an identity": { ask: basic("/token", identity), ...registryRefuses },
});

/** The calls that accept the token of a workload for an identity, in the organization of that identity. */
export const workloadTokenEntryPoints = (
  organization: string,
  identity: string,
): Record<string, TokenEntryPoint> => ({
  REST: { ask: get(`/iam/v2/groups/${organization}`), refuses: [401] },
  exchange: exchange(),
  "exchange with identity": exchange(`&identity=${identity}`),
  "token exchange (RFC 8693)": exchangeGrant(),
  "token exchange (RFC 8693) with identity": exchangeGrant({ identity }),
  "assertion (RFC 7523)": assertionGrant(),
  "assertion (RFC 7523) with identity": assertionGrant({ identity }),
  ...workloadLogins(identity),
  "registry login by a refresh token": {
    ask: form("/token", "refresh_token", { grant_type: "refresh_token" }),
    ...registryRefuses,
  },
});
