import { decodeJwt } from "jose";
import { expect, test } from "vitest";
import { withoutDecisionId } from "../contract/decisions.ts";
import {
  createResource,
  newIdentity,
  newOrganization,
  newUser,
  randomName,
  randomUid,
} from "../world/personas.ts";
import { callRest, costOf, issuer, registryAudience, tokenFor } from "../world/platform.ts";
import {
  askToken,
  basicHeader,
  newImage,
  newVerified,
  publicImage,
  refusalOf,
  registryToken,
} from "./stored_images.ts";

/** A private image, someone who can pull it, and that person's registry token. */
async function privateImage(role = "registry.pull") {
  const organization = await newVerified();
  const repo = await newImage(organization);
  const puller = await newIdentity(organization, role);
  const name = `${organization.name}/image`;
  return { organization, repo, puller, name, token: await registryToken(puller.uid) };
}

test("a token for a private image names that image and its actions, and is valid for five minutes", async () => {
  const { name, puller, token } = await privateImage();
  const answer = await askToken(`repository:${name}:pull`, token);
  expect(answer.status).toBe(200);
  const { body } = answer;
  expect(body.access_token).toBe(body.token);
  expect(body.expires_in).toBe(300);
  expect(Date.parse(body.issued_at)).toBeGreaterThan(Date.now() - 60_000);
  const claims = decodeJwt(body.token);
  expect(claims).toMatchObject({
    iss: issuer,
    sub: puller.uid,
    aud: registryAudience,
    access: [{ type: "repository", name, actions: ["pull"] }],
  });
  expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(300);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(costOf(answer).roundTrips).toBe(1);
});

test("Basic credentials with the user _token are accepted, and other users are rejected", async () => {
  const { name, token } = await privateImage();
  const path = `/token?scope=repository:${name}:pull&service=${registryAudience}&account=_token`;
  expect((await callRest(path, { headers: basicHeader(token) })).status).toBe(200);
  expect(refusalOf(await callRest(path, { headers: basicHeader(token, "me") }))).toEqual([
    401,
    "UNAUTHORIZED",
  ]);
  expect(refusalOf(await callRest(path, { headers: { authorization: "Basic %%%" } }))).toEqual([
    401,
    "UNAUTHORIZED",
  ]);
});

test("a token of another audience is rejected with 403", async () => {
  const { name, puller } = await privateImage();
  const answer = await askToken(`repository:${name}:pull`, puller.token);
  expect(refusalOf(answer)).toEqual([403, "DENIED"]);
  expect(answer.body.errors[0].message).toContain(registryAudience);
});

test.for(["abc", "a.b.c"])("the token %j is rejected with 401 and the challenge", async (token) => {
  const { name } = await privateImage();
  const answer = await askToken(`repository:${name}:pull`, token);
  expect(refusalOf(answer)).toEqual([401, "UNAUTHORIZED"]);
  expect(answer.headers.get("www-authenticate")).toBe(
    `Bearer realm="http://localhost:8787/token",service="${registryAudience}",scope="repository:${name}:pull"`,
  );
});

test("a token of another issuer is rejected with 401, and with advice", async () => {
  const { name, puller } = await privateImage();
  const scope = `repository:${name}:pull`;
  const foreign = await registryToken(puller.uid, { iss: "https://other.example.com" });
  const answer = await askToken(scope, foreign);
  expect(refusalOf(answer)).toEqual([401, "UNAUTHORIZED"]);
  expect(answer.body.errors[0].message).toContain("exchange this token there");
});

test("the response to an identity without the capability is the same whether or not the image exists", async () => {
  const { organization, name } = await privateImage();
  const member = await registryToken((await newIdentity(organization, "advisories.viewer")).uid);
  const stranger = await registryToken((await newIdentity(await newOrganization(), "viewer")).uid);
  const nobody = randomName("nobody");
  const ofMember = await askToken(`repository:${name}:pull`, member);
  const missing = await askToken(`repository:${organization.name}/nothing:pull`, member);
  const there = await askToken(`repository:${name}:pull`, stranger);
  const absent = await askToken(`repository:${organization.name}/nothing:pull`, stranger);
  const nowhere = await askToken(`repository:${nobody}/image:pull`, stranger);
  expect(refusalOf(there)).toEqual([403, "DENIED"]);
  const bytes = ({ body }: typeof there, part: string) => withoutDecisionId(body).replace(part, "");
  expect(bytes(missing, `${organization.name}/nothing`)).toBe(bytes(ofMember, name));
  expect(bytes(absent, `${organization.name}/nothing`)).toBe(bytes(there, name));
  const other = bytes(nowhere, `${nobody}/image`).replaceAll(nobody, organization.name);
  expect(other).toBe(bytes(there, name));
  const uids = [organization.uid, "0".repeat(40)];
  const byUid = await Promise.all(
    uids.map((uid) => askToken(`repository:${uid}/image:pull`, stranger)),
  );
  const [known, unknown] = byUid.map((answer, n) => bytes(answer, `${uids[n]}`));
  expect(unknown).toBe(known);
});

test("a token for an image that does not exist is granted, because the first push creates the image", async () => {
  const { organization } = await privateImage();
  const pusher = await registryToken((await newIdentity(organization, "registry.push")).uid);
  const name = `${organization.name}/nothing`;
  const answer = await askToken(`repository:${name}:pull,push`, pusher);
  expect(decodeJwt(answer.body.token)).toMatchObject({
    access: [{ name, actions: ["pull", "push"] }],
  });
  const listed = await callRest(`/v2/${name}/tags/list`, { token: answer.body.token });
  expect(refusalOf(listed)).toEqual([404, "NAME_UNKNOWN"]);
});

test("a deleted identity gets no token", async () => {
  const { name } = await privateImage();
  const ghost = await registryToken(randomUid());
  expect(refusalOf(await askToken(`repository:${name}:pull`, ghost))).toEqual([
    401,
    "UNAUTHORIZED",
  ]);
});

test("of the requested actions, only those that the caller has are granted", async () => {
  const { organization, name, token } = await privateImage();
  const actions = async (list: string, as: string) => {
    const { body } = await askToken(`repository:${name}:${list}`, as);
    const [access] = decodeJwt<{ access: { actions: string[] }[] }>(body.token).access;
    return access?.actions;
  };
  expect(await actions("pull,push,delete,*", token)).toEqual(["pull"]);
  const pusher = await registryToken((await newIdentity(organization, "registry.push")).uid);
  expect(await actions("pull,push", pusher)).toEqual(["pull", "push"]);
});

test.for(["push", "delete", "constructor"])(
  "the action %s alone is rejected for a caller who can only pull",
  async (action) => {
    const { name, token } = await privateImage();
    const answer = await askToken(`repository:${name}:${action}`, token);
    expect(refusalOf(answer)).toEqual([403, "DENIED"]);
  },
);

test("an error about a name says that the uid works, and is the same whether or not the organization exists", async () => {
  const { uid, name, owner } = await newOrganization("fresh");
  const token = await registryToken(owner.uid);
  await createResource(`/registry/v2/repos/${uid}`, owner.token, { name: "tool" });
  const nobody = randomName("fresh");
  const messages = await Promise.all(
    [name, nobody].map(async (one) => {
      const answer = await askToken(`repository:${one}/tool:pull`, token);
      expect(refusalOf(answer)).toEqual([403, "DENIED"]);
      return answer.body.errors[0].message;
    }),
  );
  expect(messages[0]).toContain("address any other by its uid");
  expect(messages[1]).toBe(messages[0].replaceAll(name, nobody));
  expect((await askToken(`repository:${uid}/tool:pull`, token)).status).toBe(200);
});

test("an error for a member of the organization says nothing about its name, and nothing of a key that allows the action", async () => {
  const { name, token, organization } = await privateImage();
  const { body } = await askToken(`repository:${name}:pull`, token);
  const messageOf = async (answer: Awaited<ReturnType<typeof callRest>>) => {
    expect(refusalOf(answer)).toEqual([403, "DENIED"]);
    return answer.body.errors[0].message;
  };
  for (const one of [token, body.token]) {
    const path = `/v2/${name}/manifests/latest`;
    const refused = await messageOf(await callRest(path, { method: "DELETE", token: one }));
    expect(refused).toMatch(/^to delete .* on a group above it$/);
  }
  const none = await registryToken((await newIdentity(organization, undefined)).uid);
  const refused = await messageOf(await askToken(`repository:${name}:pull`, none));
  expect(refused).toBe(`you have no access to ${name} for pull`);
});

const unknownScopes = [
  ...["repository:org/image", "repository:org/image:", "repository:org/image:,", "image", ":::"],
  ...["registry:catalog:pull", "registry:other:*", "repository(plugin):org/image:pull"],
  ...["artifact:org/image:pull", "repository:org/image:PULL", 'repository:org/image:pu"ll'],
  ...["repository:image:pull", "repository:Org/image:pull", "repository:org//image:pull"],
  ...["repository:org/../image:pull", 'repository:org/"image":pull', "repository:örg/image:pull"],
  ...["repository:localhost:5000/org/image:pull", `repository:org/${"a".repeat(400)}:pull`],
];

test.for(unknownScopes)("the scope %j is left out of a token", async (scope) => {
  const { name, token } = await privateImage();
  const both = await askToken(`repository:${name}:pull ${scope}`, token);
  expect(both.status).toBe(200);
  expect(decodeJwt(both.body.token).access).toEqual([
    { type: "repository", name, actions: ["pull"] },
  ]);
  const alone = await askToken(scope, token);
  expect(alone.status).toBe(200);
  expect(decodeJwt(alone.body.token).access).toEqual([]);
  const anonymous = await askToken(scope);
  expect(refusalOf(anonymous)).toEqual([401, "UNAUTHORIZED"]);
  expect(anonymous.headers.get("www-authenticate")).not.toContain("scope=");
  const stranger = await registryToken((await newUser()).uid);
  const refused = await askToken(`repository:${name}:pull ${scope}`, stranger);
  expect(refusalOf(refused)).toEqual([403, "DENIED"]);
});

test("a token for an image can also be for the list of all images", async () => {
  const { name, token } = await privateImage();
  const image = { type: "repository", name, actions: ["pull"] };
  const all = { type: "registry", name: "catalog", actions: ["*"] };
  const both = await askToken(`repository:${name}:pull`, token, "&scope=registry:catalog:*");
  expect(decodeJwt(both.body.token).access).toEqual([image, all]);
  const rest = await askToken("registry:catalog:* repository:org/image:push", token);
  expect(decodeJwt(rest.body.token).access).toEqual([all]);
  const shared = await publicImage(["latest"]);
  const anonymous = await askToken(`repository:${shared.name}:pull registry:catalog:*`);
  expect(decodeJwt(anonymous.body.token).access).toEqual([{ ...image, name: shared.name }]);
});

test("more than 20 scopes are rejected", async () => {
  const scopes = Array.from({ length: 21 }, (_, n) => `repository:a/b${n}:pull`).join(" ");
  expect(refusalOf(await askToken(scopes))).toEqual([400, "QUERY_INVALID"]);
});

test("one token opens several images: in several scopes, or in one with spaces", async () => {
  const { organization, name } = await privateImage();
  const other = `${organization.name}/other`;
  await newImage(organization, "other");
  const pusher = await registryToken((await newIdentity(organization, "registry.push")).uid);
  const expected = [
    { type: "repository", name, actions: ["pull", "push", "delete"] },
    { type: "repository", name: other, actions: ["pull"] },
  ];
  const ours = `repository:${name}:pull,push,delete`;
  const theirs = `repository:${other}:pull`;
  const { body } = await askToken(ours, pusher, `&scope=${theirs}`);
  expect(decodeJwt(body.token).access).toEqual(expected);
  const together = await askToken(`${ours} ${theirs}`, pusher);
  expect(decodeJwt(together.body.token).access).toEqual(expected);
  const all = await askToken(`repository:${name}:*`, pusher);
  expect(decodeJwt(all.body.token).access).toEqual([expected[0]]);
});

test("images without access are left out of a token for several, and alone they are rejected", async () => {
  const { name, token } = await privateImage();
  const foreign = await privateImage();
  const both = await askToken(
    `repository:${name}:pull`,
    token,
    `&scope=repository:${foreign.name}:pull`,
  );
  expect(decodeJwt(both.body.token).access).toEqual([
    { type: "repository", name, actions: ["pull"] },
  ]);
  const alone = await askToken(`repository:${foreign.name}:pull`, token);
  expect(refusalOf(alone)).toEqual([403, "DENIED"]);
});

const postForm = (fields: Record<string, string>) =>
  callRest("/token", {
    method: "POST",
    body: new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });

test("a POST with a password, or with the refresh token that it returned, gets the same access", async () => {
  const { name, token } = await privateImage();
  const scope = `repository:${name}:pull`;
  const client = { service: registryAudience, client_id: "docker", scope };
  const login = { grant_type: "password", username: "_token", password: token };
  const first = await postForm({ ...client, ...login, access_type: "offline" });
  expect(first.status).toBe(200);
  expect(first.body.refresh_token).toBe(token);
  const again = { grant_type: "refresh_token", refresh_token: first.body.refresh_token };
  const second = await postForm({ ...client, ...again });
  expect(decodeJwt(second.body.access_token).access).toEqual(
    decodeJwt(first.body.access_token).access,
  );
  expect(second.body.refresh_token).toBeUndefined();
  const offline = await askToken(scope, token, "&offline_token=true");
  expect(offline.body.refresh_token).toBe(token);
});

test.for([
  [{ grant_type: "password", username: "me", password: "x" }, 401],
  [{ grant_type: "password", username: "_token", password: "x" }, 401],
  [{ grant_type: "refresh_token" }, 401],
  [{ grant_type: "client_credentials" }, 400],
  [{}, 400],
] as const)("a POST with the form %j is rejected with %i", async ([fields, status]) => {
  const { name } = await privateImage();
  const answer = await postForm({ ...fields, scope: `repository:${name}:pull` } as never);
  expect(answer.status).toBe(status);
});

test("a POST is rejected if it is not a form, or is too long", async () => {
  const json = await callRest("/token", { method: "POST", body: {} });
  expect(refusalOf(json)).toEqual([400, "QUERY_INVALID"]);
  const long = await postForm({ scope: "x".repeat(100_000) });
  expect(refusalOf(long)).toEqual([413, "SIZE_INVALID"]);
});

test("another service is rejected", async () => {
  const service = "&service=registry.example.com";
  expect(refusalOf(await askToken("repository:a/b:pull", undefined, service))[1]).toBe(
    "QUERY_INVALID",
  );
});

test("without a login, only pull tokens for the public namespace are issued", async () => {
  const { name } = await publicImage(["latest"]);
  const { status, body } = await askToken(`repository:${name}:pull,push`);
  expect(status).toBe(200);
  expect(decodeJwt(body.token)).toMatchObject({
    sub: "anonymous",
    access: [{ name, actions: ["pull"] }],
  });
  expect(refusalOf(await askToken(`repository:${name}:push`))).toEqual([401, "UNAUTHORIZED"]);
  const secret = await privateImage();
  expect(refusalOf(await askToken(`repository:${secret.name}:pull`))).toEqual([
    401,
    "UNAUTHORIZED",
  ]);
});

test("a person who is logged in and has no role can pull public images like everyone", async () => {
  const { name } = await publicImage(["latest"]);
  const { uid } = await newUser();
  const { status } = await askToken(`repository:${name}:pull`, await registryToken(uid));
  expect(status).toBe(200);
});

test("a token for one image cannot request another token", async () => {
  const { name, token } = await privateImage();
  const { body } = await askToken(`repository:${name}:pull`, token);
  const again = await askToken(`repository:${name}:pull`, body.token);
  expect(refusalOf(again)).toEqual([403, "DENIED"]);
});

test("the token ends no later than the token it was issued for, and has the same limits", async () => {
  const { name, puller, organization } = await privateImage();
  const narrowed = { scopes: [organization.uid], capabilities: [1605, 1613] };
  const short = await tokenFor(puller.uid, { aud: registryAudience, ...narrowed }, 30);
  const { body } = await askToken(`repository:${name}:pull`, short);
  expect(decodeJwt(body.token)).toMatchObject({ ...narrowed, exp: decodeJwt(short).exp });
  expect(body.expires_in).toBeLessThanOrEqual(30);
  const elsewhere = await registryToken(puller.uid, { scopes: [randomUid()] });
  expect(refusalOf(await askToken(`repository:${name}:pull`, elsewhere))[0]).toBe(403);
});

test("a login without a scope returns a token that works for /v2/ and no image", async () => {
  const { name, token } = await privateImage();
  const { status, body } = await callRest("/token?account=_token&client_id=docker", {
    headers: basicHeader(token),
  });
  expect(status).toBe(200);
  expect((await callRest("/v2/", { token: body.token })).status).toBe(200);
  const image = await callRest(`/v2/${name}/_vendor/history/latest`, { token: body.token });
  expect(refusalOf(image)).toEqual([403, "DENIED"]);
});

test("a login without credentials is rejected with 401", async () => {
  expect(refusalOf(await askToken(undefined))).toEqual([401, "UNAUTHORIZED"]);
});

test("HEAD has a response without a body, and another verb is 405", async () => {
  const { name } = await publicImage(["latest"]);
  const path = `/token?scope=repository:${name}:pull`;
  const head = await callRest(path, { method: "HEAD" });
  expect([head.status, head.body]).toEqual([200, undefined]);
  const put = await callRest(path, { method: "PUT" });
  expect(refusalOf(put)).toEqual([405, "UNSUPPORTED"]);
  expect(put.headers.get("allow")).toBe("GET, HEAD, POST");
});
