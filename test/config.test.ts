import { randomBytes } from "node:crypto";
import { getOption } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { files } from "../schema/descriptors.ts";
import { vendor_named } from "../schema/gen/platform/annotations/v1/annotations_pb.js";
import { ConfigError, configOf, type Env } from "../src/config.ts";

const key = randomBytes(32).toString("base64url");
const whole = {
  DB: {} as Env["DB"],
  BASE_URL: "https://api.example.com/",
  REGISTRY_URL: "https://registry.example.com",
  ISSUER_URL: "https://issuer.example.com",
  AUDIENCE: "https://api.example.com",
  REGISTRY_AUDIENCE: "registry.example.com",
  VENDOR: "vendor",
  SERVICE_DOMAIN: "platform.example",
  PUBLIC_NAMESPACE: "public",
  SIGNING_KEYS: '{"keys":[]}',
  PAGE_TOKEN_KEYS: JSON.stringify([key]),
};
const read = (env: Partial<Env> = {}) => configOf({ ...whole, ...env });

test("what is not set has a default, and origins have no slash at the end", () => {
  expect(read()).toMatchObject({
    baseUrl: "https://api.example.com",
    encryptionKeys: [],
    terms: [],
    trustedEmailIssuers: [],
    registrationIssuers: [],
    publicEmailDomains: [],
    awsStsUrl: "https://sts.amazonaws.com",
    googleStsUrl: "https://sts.googleapis.com",
    azureLoginUrl: "https://login.microsoftonline.com",
    dnsUrl: "https://cloudflare-dns.com/dns-query",
    meter: false,
  });
});

const pem = (body: string) => `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----`;

test("empty settings are as those that are not there", () => {
  const empty = { ENCRYPTION_KEYS: "", TERMS: "", AWS_STS_URL: "", TRUSTED_EMAIL_ISSUERS: " " };
  expect(read(empty)).toEqual(read());
});

test("what is set is read", () => {
  const document = {
    id: "terms.v1",
    label: "Terms",
    url: "https://a.example",
    methods: ["platform.iam.v2.GroupsService/CreateGroup"],
  };
  const config = read({
    ENCRYPTION_KEYS: JSON.stringify([key, key]),
    TERMS: JSON.stringify([document]),
    TRUSTED_EMAIL_ISSUERS: " https://a.example  https://b.example ",
    REGISTRATION_ISSUERS: "https://c.example",
    PUBLIC_EMAIL_DOMAINS: "mail.example",
    DNS_URL: "https://dns.example/resolve",
  });
  expect(config).toMatchObject({
    encryptionKeys: [key, key],
    terms: [document],
    trustedEmailIssuers: ["https://a.example", "https://b.example"],
    registrationIssuers: ["https://c.example"],
    publicEmailDomains: ["mail.example"],
    dnsUrl: "https://dns.example/resolve",
  });
});

describe("the resolver", () => {
  test.each(["http://localhost:8787", "http://127.0.0.1:8787", "http://[::1]:8787"])(
    "is none where the platform is on this machine, at %s",
    (BASE_URL) => {
      expect(read({ BASE_URL }).dnsUrl).toBe("");
      expect(read({ BASE_URL, DNS_URL: "https://dns.example" }).dnsUrl).toBe("https://dns.example");
    },
  );

  test("is none where it is set to nothing", () => {
    expect(read({ DNS_URL: "" }).dnsUrl).toBe("");
  });
});

describe("a setting that is missing or unreadable is named", () => {
  const names = Object.keys(whole) as (keyof typeof whole)[];
  test.each(names)("%s, missing", (name) => {
    expect(() => read({ [name]: undefined })).toThrow(ConfigError);
    expect(() => read({ [name]: "" })).toThrow(new RegExp(`missing .*${name}`));
  });

  test("all of them at once", () => {
    expect(() => read({ VENDOR: "", AUDIENCE: "" })).toThrow("missing AUDIENCE, VENDOR");
  });

  const document = { id: "terms.v1", label: "Terms", url: "https://a.example", methods: [] };
  const unreadable: [keyof Env, string][] = [
    ["BASE_URL", "api.example.com"],
    ["REGISTRY_URL", "/"],
    ["ISSUER_URL", "no url"],
    ["REGISTRY_AUDIENCE", whole.AUDIENCE],
    ["REGISTRY_AUDIENCE", whole.ISSUER_URL],
    ["DNS_URL", "dns.example"],
    ["PAGE_TOKEN_KEYS", "["],
    ["PAGE_TOKEN_KEYS", "[]"],
    ["PAGE_TOKEN_KEYS", '["short"]'],
    ["ENCRYPTION_KEYS", key],
    ["ENCRYPTION_KEYS", "[]"],
    ["ENCRYPTION_KEYS", `{"0":"${key}"}`],
    ["ENCRYPTION_KEYS", `["${key}", 1]`],
    ["ENCRYPTION_KEYS", `["${key}", "short"]`],
    ["ENCRYPTION_KEYS", `["${" ".repeat(43)}"]`],
    ["TERMS", "["],
    ["TERMS", JSON.stringify(document)],
    ["TERMS", JSON.stringify([document, "terms.v2"])],
    ["TERMS", JSON.stringify([null])],
    ["TERMS", JSON.stringify([{ ...document, id: 1 }])],
    ["TERMS", JSON.stringify([{ ...document, label: undefined }])],
    ["TERMS", JSON.stringify([{ ...document, url: undefined }])],
    ["TERMS", JSON.stringify([{ ...document, methods: "a/B" }])],
    ["TERMS", JSON.stringify([{ ...document, methods: [1] }])],
    ["TERMS", JSON.stringify([{ ...document, methods: ["CreateGroup"] }])],
    ["READS", "replica"],
    ["READS", "Nearest"],
    ["READS_MAX_AGE", "119s"],
    ["READS_MAX_AGE", "1m"],
    ["READS_MAX_AGE", "25h"],
    ["READS_MAX_AGE", "2"],
    ["READS_MAX_AGE", "2m 3m"],
    ["SIGNATURE_ROOTS", "MAAwAA=="],
    ["SIGNATURE_ROOTS", `${pem("MAAwAA==")} and more`],
    ["SIGNATURE_ROOTS", pem("MAAwAA=")],
    ["SIGNATURE_ROOTS", pem("MAAwAA==").repeat(17)],
  ];
  test.each(unreadable)("%s = %s", (name, value) => {
    expect(() => read({ [name]: value })).toThrow(ConfigError);
    expect(() => read({ [name]: value })).toThrow(new RegExp(`^${name} (must be|names)`));
  });
});

test("certificates of authorities are read, in one line or in several", () => {
  const text = `${pem("MAAwAA==")}\n\n${pem("MAAw\nAQ==")}\n`;
  const roots = read({ SIGNATURE_ROOTS: text }).signatureRoots;
  expect(roots.map((bytes) => [...bytes])).toEqual([
    [0x30, 0, 0x30, 0],
    [0x30, 0, 0x30, 1],
  ]);
  expect(read().signatureRoots).toEqual([]);
});

test("replicas are used only if READS is nearest, and then have a greatest age", () => {
  for (const READS of ["", "primary"]) {
    expect(read({ READS, READS_MAX_AGE: "5m" }).replicaMaxAge).toBeUndefined();
  }
  const nearest = (READS_MAX_AGE: string) =>
    read({ READS: "nearest", READS_MAX_AGE }).replicaMaxAge;
  expect(read({ READS: "nearest" }).replicaMaxAge).toBe(2 * 60_000);
  expect([nearest(""), nearest("2m"), nearest("24h")]).toEqual([120_000, 120_000, 86_400_000]);
});

test("an environment is read once", () => {
  const env = { ...whole };
  expect(configOf(env)).toBe(configOf(env));
  expect(configOf({ ...env })).not.toBe(configOf(env));
});

describe("VENDOR", () => {
  /** The other fields of a message with a field of the vendor's name. */
  const siblings = files
    .flatMap(({ messages }) => messages)
    .filter(({ fields }) => fields.some((field) => getOption(field, vendor_named)))
    .flatMap(({ fields }) => fields.filter((field) => !getOption(field, vendor_named)))
    .filter(({ name }) => /^[a-z]+$/.test(name))
    .map(({ name }) => name);

  test("is not the name of a field next to the one with the vendor's name", () => {
    expect(siblings).toContain("amazon");
    for (const name of siblings) {
      expect(() => read({ VENDOR: name }), name).toThrow(`VENDOR must not be "${name}"`);
    }
    expect(read({ VENDOR: "acme" }).vendor).toBe("acme");
  });

  test.each(["Acme", "acme inc", "acme.dev", "a/b", "my_co", "-acme", "$&", "x".repeat(64)])(
    "is not %j, which cannot stand everywhere that the name does",
    (name) => {
      expect(() => read({ VENDOR: name })).toThrow("lowercase letters, digits and hyphens");
    },
  );

  test.each(["my-co", "4me", "platform", "vendor", "constructor"])("VENDOR may be %j", (name) => {
    expect(read({ VENDOR: name }).vendor).toBe(name);
  });
});
