import { describe, expect, test } from "vitest";
import { issuerRefusal } from "../../../src/auth/outgoing/destination.ts";
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
