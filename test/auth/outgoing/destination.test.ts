import { describe, expect, test } from "vitest";
import {
  endpointRules,
  issuerRefusal,
  sinkRules,
  urlRefusal,
} from "../../../src/auth/outgoing/destination.ts";
import type { Config } from "../../../src/config.ts";
import { badDestinations } from "../../attacks/ssrf/destinations.ts";
import { development } from "../development.ts";

const production = {
  baseUrl: "https://api.acme.example",
  registryUrl: "https://registry.acme.example",
  issuerUrl: "https://issuer.acme.example",
} as Config;

describe("an issuer on the public internet is accepted:", () => {
  test.each([
    "https://issuer.example",
    "https://issuer.example/tenant/one",
    "https://issuer.example.",
    "https://cluster.example:6443",
    "https://issuer.example:8443/realms/a",
    "https://grüße.example",
    "https://93.184.215.14",
    "https://[2606:4700:4700::1111]",
    "https://issuer.acme.example",
  ])("%s", (issuer) => {
    expect(issuerRefusal(production, issuer)).toBeUndefined();
    if (issuer !== production.issuerUrl) {
      expect(issuerRefusal(development, issuer)).toBeUndefined();
    }
  });
});

describe("an issuer is rejected at", () => {
  test.each(badDestinations)("%s: %s", (_, issuer) => {
    expect(issuerRefusal(production, issuer)).toMatch(/^must /);
  });

  test.each([
    ["https://issuer.example?a=b", "must not have a query"],
    ["https://issuer.example?", "must not have a query"],
    ["https://issuer.example:993", "must use port 443, or 1024 and above"],
    ["issuer.example", "must be an absolute https URL"],
    ["", "must be an absolute https URL"],
  ])("%j: %s", (issuer, refusal) => {
    expect(issuerRefusal(production, issuer)).toBe(refusal);
  });
});

test.each([
  ...["localhost", "localdomain", "local", "internal", "intranet", "private", "corp", "home"],
  ...["lan", "home.arpa", "onion", "alt", "invalid", "svc", "test"],
])("nothing is sent to the names below %s, which are not in the public DNS", (name) => {
  for (const host of [`a.${name}`, `a.b.${name}.`]) {
    expect(issuerRefusal(production, `https://${host}`)).toBe(
      "must have a host name from the public DNS",
    );
  }
  expect(issuerRefusal(production, `https://${name.replace(".", "-")}.example`)).toBeUndefined();
  expect(issuerRefusal(production, `https://a-${name.replace(".", "-")}.example`)).toBeUndefined();
});

describe("a sink and an endpoint can have a query, and their own ports:", () => {
  const sinkPorts = "must use port 443 or 8443";
  const endpointPorts = "must use port 443, or 1024 and above";
  test.each<[string, string | undefined, string | undefined]>([
    ["?a=b", undefined, undefined],
    [":443/a?", undefined, undefined],
    [":8443/a", undefined, undefined],
    [":1024", sinkPorts, undefined],
    [":1023", sinkPorts, endpointPorts],
    [":80", sinkPorts, endpointPorts],
    ["#a", "must not have a fragment", "must not have a fragment"],
  ])("%s: %s, %s", (rest, sink, endpoint) => {
    const url = `https://a.example${rest}`;
    expect(urlRefusal(production, url, sinkRules)).toBe(sink);
    expect(urlRefusal(production, url, endpointRules)).toBe(endpoint);
  });
});

describe("a platform on this machine", () => {
  test.each([
    "http://localhost:8080",
    "http://127.0.0.1",
    "http://[::1]:9090",
    "https://a.localhost",
    "http://localhost:8787",
  ])("a platform on this machine accepts %s", (issuer) => {
    expect(issuerRefusal(development, issuer)).toBeUndefined();
  });

  test.each([
    ["http://localhost:8787/a", "must not be a host of the platform"],
    ["http://issuer.example", "must be an absolute https URL"],
    ["http://localhost.example", "must be an absolute https URL"],
    ["http://10.0.0.1", "must be an absolute https URL"],
    ["https://10.0.0.1", "must not have a private or special address"],
    ["https://169.254.169.254", "must not have a private or special address"],
    ["http://me@localhost:8080", "must not contain a user name or a password"],
    ["http://localhost:8080?a", "must not have a query"],
  ])("a platform on this machine rejects %s: %s", (issuer, refusal) => {
    expect(issuerRefusal(development, issuer)).toBe(refusal);
  });
});
