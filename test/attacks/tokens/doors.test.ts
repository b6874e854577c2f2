/** Every door of the platform is in the tables of attacks, and none waits for an issuer that does not answer. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SecurityTokenService } from "../../../schema/gen/platform/oidc/security_token_pb.js";
import { basicUsers } from "../../../src/distribution/credentials.ts";
import { newIdentityWithMatchers } from "../../issuer/exchange_call.ts";
import { type ForeignIssuer, startIssuer } from "../../issuer/foreign_issuer.ts";
import { newOrganization, type Organization } from "../../world/personas.ts";
import { audience, callRest, issuer as platform, registryAudience } from "../../world/platform.ts";
import {
  accessTokenEntryPoints,
  otherTokenEntryPoints,
  type TokenEntryPoint,
  workloadTokenEntryPoints,
} from "./entry_points.ts";

test("a user name of Basic, a grant or an exchange that is not in the tables of attacks fails here", async () => {
  const { body } = await callRest("/.well-known/openid-configuration");
  const doors: string[] = [
    ...Object.keys(basicUsers),
    ...body.grant_types_supported,
    ...Object.values(SecurityTokenService.methods).map(({ name }) => name),
  ];
  const tables = [accessTokenEntryPoints(""), otherTokenEntryPoints("", "")];
  const attacked = tables.flatMap((table) =>
    Object.values(table).flatMap(({ door }) => door ?? []),
  );
  expect([...new Set(attacked)].sort()).toEqual([...new Set(doors)].sort());
});

describe("an issuer", () => {
  let issuer: ForeignIssuer;
  let organization: Organization;
  beforeAll(async () => {
    organization = await newOrganization();
  });
  afterAll(() => issuer.close());

  const askAll = async () => {
    const claimMatch = { issuer: issuer.url, subject: "robot" };
    const robot = await newIdentityWithMatchers(organization, { claimMatch }, "viewer");
    const token = await issuer.sign({ aud: [audience, platform, registryAudience] });
    const doors = Object.entries(workloadTokenEntryPoints(organization.uid, robot));
    const ask = async ([name, { ask: asking }]: [string, TokenEntryPoint]) => [
      name,
      (await asking(token)).status,
    ];
    const answers = await Promise.all(doors.map(ask));
    return { answers, expected: (status: number) => doors.map(([name]) => [name, status]) };
  };

  test("that never answers leaves every door unavailable, and no door waits for it", async () => {
    issuer = await startIssuer();
    issuer.pages["/.well-known/openid-configuration"] = () => {};
    const { answers, expected } = await askAll();
    expect(answers).toEqual(expected(503));
  });

  test("that answers without an end leaves every door unavailable", async () => {
    issuer.close();
    issuer = await startIssuer();
    issuer.pages["/keys"] = (response) => {
      const more = () => {
        if (!response.destroyed && response.write(" ".repeat(16_384))) setImmediate(more);
        else response.once("drain", more);
      };
      more();
    };
    const { answers, expected } = await askAll();
    expect(answers).toEqual(expected(503));
  });
});
