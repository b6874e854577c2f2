import { expect, test } from "vitest";
import type { Env } from "../../src/config.ts";
import { serveSitePage } from "../../src/ping/pages.ts";

/** The content security policy of a page, on a platform with these addresses. */
async function policyAt(addresses: Partial<Env>): Promise<string | null> {
  const policy = "default-src 'none'; connect-src 'self'; base-uri 'none'";
  const file = new Response("page", { headers: { "content-security-policy": policy } });
  const env = { ...addresses, ASSETS: { fetch: async () => file } } as unknown as Env;
  const answer = await serveSitePage(new Request("https://api.acme.test/docs"), env);
  return answer.headers.get("content-security-policy");
}

test("pages can call the platform's registry and issuer if these have separate hosts", async () => {
  const policy = await policyAt({
    BASE_URL: "https://api.acme.test",
    REGISTRY_URL: "https://registry.acme.test",
    ISSUER_URL: "https://issuer.acme.test",
  });
  expect(policy).toBe(
    "default-src 'none'; connect-src 'self' https://registry.acme.test https://issuer.acme.test; base-uri 'none'",
  );
});

test("pages of a platform with one host can call no other host", async () => {
  const url = "https://api.acme.test";
  const policy = await policyAt({ BASE_URL: url, REGISTRY_URL: url, ISSUER_URL: url });
  expect(policy).toBe("default-src 'none'; connect-src 'self'; base-uri 'none'");
});

test("pages that are opened at another address can call all hosts of the platform", async () => {
  const url = "http://localhost:8787";
  const policy = await policyAt({ BASE_URL: url, REGISTRY_URL: url, ISSUER_URL: url });
  expect(policy).toContain("connect-src 'self' http://localhost:8787;");
});
