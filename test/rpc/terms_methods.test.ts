/** A setting TERMS that would never require a document is refused. */
import { expect, test } from "vitest";
import { type Config, configOf, type Env } from "../../src/config.ts";
import { services as events } from "../../src/events/worker.ts";
import { services } from "../../src/iam/worker.ts";
import { services as issuer } from "../../src/issuer/worker.ts";
import { services as libraries } from "../../src/libraries/worker.ts";
import { services as registry } from "../../src/registry/worker.ts";
import { checkTermsMethods } from "../../src/rpc/terms_methods.ts";
import { services as vulnerabilities } from "../../src/vulnerabilities/worker.ts";
import { termsRpcs } from "../contract/rpcs.ts";

const env = (TERMS: unknown) =>
  ({
    DB: {},
    BASE_URL: "https://api.example.com",
    REGISTRY_URL: "https://registry.example.com",
    ISSUER_URL: "https://issuer.example.com",
    AUDIENCE: "https://api.example.com",
    REGISTRY_AUDIENCE: "registry.example.com",
    VENDOR: "vendor",
    SERVICE_DOMAIN: "platform.example",
    PUBLIC_NAMESPACE: "public",
    SIGNING_KEYS: "{}",
    PAGE_TOKEN_KEYS: JSON.stringify(["a".repeat(43)]),
    TERMS: typeof TERMS === "string" ? TERMS : JSON.stringify(TERMS),
  }) as unknown as Env;

const demanding = (...methods: unknown[]) => [
  { id: "a.v1", label: "A", url: "https://a.example", methods },
];
const check = (...methods: string[]) =>
  checkTermsMethods({ terms: demanding(...methods) } as unknown as Config, services);

test.for(["x", "{}", [{}], [{ ...demanding()[0], methods: "a" }], [{ ...demanding()[0], url: 1 }]])(
  "%j is not a list of documents",
  (text) => {
    expect(() => configOf(env(text))).toThrow("TERMS must be a JSON array of documents");
  },
);

test.for([1, null, "", "GroupsService/GetGroup", "platform.imm.v2.A/B", "platform.iam.v2.A/B/C"])(
  "%j is not the name of a method",
  (name) => {
    expect(() => configOf(env(demanding(name)))).toThrow("a method is package.Service/Method");
  },
);

test.for([
  "platform.iam.v2.GroupsService/GetGroups",
  "platform.iam.v2.GroupService/GetGroup",
  "platform.iam.Groups/Get",
  "platform.iam.v2.GroupsService/getGroup",
])("%s is an unknown RPC", (name) => {
  expect(() => check(name)).toThrow(`TERMS names ${name}, which is not an RPC`);
});

test.for([
  "platform.iam.v2.GroupsService/ListGroups",
  "platform.iam.v2.RolesService/GetRole",
  "platform.iam.v2.TermsService/AcceptTerms",
  "platform.iam.Terms/AcceptTerms",
  "platform.iam.Groups/List",
])("%s cannot require terms", (name) => {
  expect(() => check(name)).toThrow(`TERMS names ${name}, which cannot require documents`);
});

test("RPCs about one group, and those of other Workers' packages, are accepted", () => {
  const names = [
    "platform.iam.v2.GroupsService/GetGroup",
    "platform.iam.v2.GroupsService/CreateGroup",
    "platform.iam.v2.TermsService/ListTermsAcceptances",
    "platform.iam.Groups/Create",
    "platform.iam.Groups/Update",
    "platform.registry.v2.ReposService/CreateRepo",
  ];
  check(...names);
  expect(configOf(env(demanding(...names))).terms).toEqual(demanding(...names));
});

test.for([
  ["platform.auth.Auth/Validate", issuer],
  ["platform.auth.Auth/Delete", issuer],
  ["platform.auth.Auth/Register", issuer],
  ["platform.registry.Vulnerabilities/ListVulnReports", registry],
  ["platform.iam.GroupInvites/CreateWithGroup", services],
] as const)("%s requires no capability on a group, and cannot require terms", ([name, own]) => {
  const asked = { terms: demanding(name) } as unknown as Config;
  expect(() => checkTermsMethods(asked, own)).toThrow(`${name}, which cannot require documents`);
});

test("of all RPCs, only those that can require terms are accepted", () => {
  const created = ["platform.iam.v2.GroupsService/CreateGroup", "platform.iam.Groups/Create"];
  const names = termsRpcs.map(({ method }) => `${method.parent.typeName}/${method.name}`);
  const taken = [services, events, issuer, libraries, registry, vulnerabilities].flatMap((own) =>
    own
      .flatMap(({ desc, rpcs }) => rpcs.map(({ method }) => `${desc.typeName}/${method.name}`))
      .filter((name) => {
        try {
          checkTermsMethods({ terms: demanding(name) } as unknown as Config, own);
          // RPCs in a package of another Worker are accepted unchecked.
          return !name.startsWith("platform.events.Identities/");
        } catch {
          return false;
        }
      }),
  );
  expect(taken.sort()).toEqual([...names, ...created].sort());
});
