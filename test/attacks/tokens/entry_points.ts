/** The calls that read a bearer token, and their statuses for a refused one. */
import { audience } from "../../world/platform.ts";
import { bearerHeader, type RawAnswer, sendRaw } from "../raw_call.ts";

export interface TokenEntryPoint {
  ask: (token: string) => Promise<RawAnswer>;
  refuses: number[];
}

const get = (path: string) => (token: string) => sendRaw({ path, headers: [bearerHeader(token)] });
const post =
  (path: string, body = "") =>
  (token: string) =>
    sendRaw({ method: "POST", path, headers: [bearerHeader(token), json], body });
const json: [string, string] = ["content-type", "application/json"];

/** The calls that accept an access token, in an organization with a repository `image`. */
export const accessTokenEntryPoints = (organization: string): Record<string, TokenEntryPoint> => ({
  REST: { ask: get(`/iam/v2/groups/${organization}`), refuses: [401] },
  "REST of version 1": { ask: get("/auth/v1/ok"), refuses: [401] },
  Connect: {
    ask: post("/platform.iam.v2.GroupsService/GetGroup", JSON.stringify({ uid: organization })),
    refuses: [401],
  },
  exchange: { ask: get(`/sts/exchange?aud=${audience}`), refuses: [403] },
  "registry token": {
    ask: get(`/token?scope=repository:${organization}/image:pull`),
    refuses: [401, 403],
  },
  "tag history": {
    ask: get(`/v2/${organization}/image/_vendor/history/latest`),
    refuses: [401, 403],
  },
});

/** The calls for other kinds of tokens, which never accept a JWT. */
export const otherTokenEntryPoints = (provider: string): Record<string, TokenEntryPoint> => ({
  refresh: { ask: post(`/sts/exchange_refresh_token?aud=${audience}`), refuses: [403] },
  SCIM: { ask: get(`/scim/v2/${provider}/Users`), refuses: [401] },
});
