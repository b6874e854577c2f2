/**
 * A duplicate in one list is used once or refused by name, and never causes an error of an index or a
 * trigger.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { newProvider } from "../issuer/login/logins.ts";
import { indexType, manifestType, newRepoIn, putSbom } from "../registry/images/stored_images.ts";
import { cycloneDxDocument, spdxDocument } from "../registry/sboms/documents.ts";
import { grypeReport, matchOf, packedReport } from "../registry/vuln_reports/grype_reports.ts";
import { plain } from "../vulnerabilities/osv/osv_imports.ts";
import {
  csafDocument,
  csafProduct,
  csafVulnerability,
  productTree,
} from "../vulnerabilities/vex/csaf_imports.ts";
import { type Json, openVexOf, statementOf } from "../vulnerabilities/vex/vex_imports.ts";
import {
  createResource,
  fakeDigest,
  newOrganization,
  type Organization,
  roleUid,
} from "../world/personas.ts";
import { audience, callRest, sql } from "../world/platform.ts";

let organization: Organization;
let group: string;
let token: string;
let repo: string;
beforeAll(async () => {
  organization = await newOrganization();
  ({
    uid: group,
    owner: { token },
  } = organization);
  repo = await newRepoIn(organization);
});

const load = (list: string, of: string, ...values: unknown[]) =>
  callRest(`/vulnerabilities/v2/${list}/${group}:import`, {
    token,
    body: { [of]: values, strict: true },
  });
const osv = (...records: object[]) => load("osvRecords", "records", ...records);

/** The package of an advisory, in an ecosystem whose libraries are listed. */
const affected = (name: string, more: object = {}) => ({
  package: { ecosystem: "PyPI", name },
  versions: ["1.0", "1.0", "1.0+cu118", "1.0+cu118"],
  ranges: [
    { type: "ECOSYSTEM", events: [{ introduced: "0" }, { fixed: "2.0" }, { fixed: "2.0" }] },
    { type: "ECOSYSTEM", events: [{ introduced: "0" }, { fixed: "2.0" }] },
  ],
  ...more,
});

/** Members of an OSV record with a duplicate. */
const twice: [what: string, members: object][] = [
  ["an alias", { aliases: ["CVE-1", "CVE-1", "GHSA-1"] }],
  ["an alias that is the id", { aliases: ["O", "CVE-1"] }],
  ["an alias in another case", { aliases: ["cve-1", "CVE-1", "Cve-1"] }],
  ["all in another order", { aliases: ["GHSA-1", "CVE-1", "GHSA-1", "CVE-1"] }],
  ["a package", { affected: [affected("a"), affected("a")] }],
  ["a package by two names", { affected: [affected("A-b"), affected("a_b"), affected("a.B")] }],
  [
    "a reference",
    { references: Array(2).fill({ type: "WEB", url: "https://a.example" }), summary: "s" },
  ],
  ["a severity", { severity: Array(2).fill({ type: "CVSS_V3", score: "CVSS:3.1/AV:N" }) }],
];

describe("in an OSV record", () => {
  const at = (second: number) => new Date(Date.UTC(2024, 0, 1, 0, 0, second)).toISOString();

  test.each(twice)("%s, when it is new", async (what, members) => {
    const { status, body } = await osv(plain(`new-${what.replaceAll(" ", "-")}`, members));
    expect([status, body.created, body.message]).toEqual([200, 1, undefined]);
  });

  test("each of them, on every change of the record", async () => {
    for (const [second, [what, members]] of [...twice, ...twice].entries()) {
      const record = { ...plain("O", members), modified: at(second) };
      const { status, body } = await osv(record);
      expect([what, status, body.message]).toEqual([what, 200, undefined]);
    }
  });

  test("an alias is returned once", async () => {
    await osv(plain("once", { aliases: ["B", "A", "B"] }));
    await osv({ ...plain("once", { aliases: ["C", "B", "C"] }), modified: "2024-04-01T00:00:00Z" });
    const { body } = await callRest(`/vulnerabilities/v2/advisories?advisory_ids=once`, { token });
    expect(body.advisories[0].aliases).toEqual(["C", "B"]);
    const rows = await sql<{ alias: string }>(
      "select alias from advisory_aliases where advisory_uid = ? order by alias",
      body.advisories[0].uid,
    );
    expect(rows.map(({ alias }) => alias)).toEqual(["B", "C"]);
  });
});

const shared = ["CVE-7", "CVE-7"];
const vex = (change: Json) => openVexOf([statementOf(change)]);
const box = { "@id": "pkg:pypi/box@1.0" };

type Row = [what: string, send: () => ReturnType<typeof callRest>, status: number];
/** Requests with the same status, each by what is in it twice. */
const answering = (status: number, requests: Record<string, Row[1]>) =>
  Object.entries(requests).map(([what, send]): Row => [what, send, status]);

/** Documents of the imports. Each is sent, and sent again with a later time. */
const imports: Row[] = [
  ...answering(400, {
    "OSV, a record": () => osv(plain("r"), plain("r")),
    "CSAF, a product of the tree": () => {
      const products = ["LIB", "LIB"].map((id) => csafProduct(id, "pkg:maven/org.acme/hammer@1.0"));
      const product_tree = { ...productTree, full_product_names: products };
      return load(
        "csafDocuments",
        "documents",
        csafDocument([csafVulnerability()], { product_tree }),
      );
    },
  }),
  ...answering(200, {
    "OSV, an alias of two records": () =>
      osv(plain("s", { aliases: shared }), plain("t", { aliases: shared })),
    "OSV, an id that is an alias": () => osv(plain("u", { aliases: ["v"] }), plain("v")),
    "OSV, a package of two records": () =>
      osv(plain("w", { affected: [affected("q")] }), plain("x", { affected: [affected("Q")] })),
    "OpenVEX, a document": () => load("openVexDocuments", "documents", vex({}), vex({})),
    "OpenVEX, a statement, a product, a part and an alias": () => {
      const said = statementOf({
        vulnerability: { name: "CVE-8", aliases: ["CVE-8", "A", "A"] },
        products: [1, 2].map(() => ({ ...box, subcomponents: [box, box] })),
      });
      return load(
        "openVexDocuments",
        "documents",
        openVexOf([said, said, statementOf({ ...said })]),
      );
    },
    "OpenVEX, another word on the same at the same time": () =>
      load(
        "openVexDocuments",
        "documents",
        openVexOf([
          statementOf({ status: "fixed" }),
          statementOf({ status: "affected", action_statement: "update" }),
          statementOf({ status: "fixed" }),
        ]),
      ),
    "CSAF, a vulnerability and a product of it": () => {
      const one = csafVulnerability({
        product_status: { under_investigation: ["OS:OLD", "OS:OLD"] },
      });
      return load("csafDocuments", "documents", csafDocument([one, one]), csafDocument([one]));
    },
  }),
];

test.each(imports)("%s", async (_, send, status) => {
  const first = await send();
  expect([first.status, (await send()).status], JSON.stringify(first.body)).toEqual([
    status,
    status,
  ]);
});

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");
const move = {
  updateTime: "2025-01-01T00:00:01Z",
  repo: "python",
  tag: "a",
  digest: fakeDigest("1"),
};

const post = (path: string, body: unknown) => callRest(`/registry/v2/${path}`, { token, body });

/** Data that is stored or requested differently. */
const calls: Row[] = [
  ...answering(200, {
    "tag moves, a move": () => post(`tagMoves/${group}:import`, { moves: [move, move] }),
    "a repo's lists": () => {
      const body = { name: `r${Math.random()}`.replace("0.", ""), bundles: ["base", "base"] };
      const lists = { bundles: ["ai", "ai"], aliases: ["a:1", "a:1"], activeTags: ["1", "1"] };
      return post(`repos/${group}`, { ...body, ...lists });
    },
    "a role's capabilities": () => {
      const body = { name: `r${Math.random()}`, capabilities: ["CAP_REPO_LIST", "CAP_REPO_LIST"] };
      return callRest(`/iam/v2/roles/${group}`, { token, body });
    },
    "installations of an app": () => {
      const installations = [1, 1].map((installationId) => ({ installationId, name: "a" }));
      const github = { appInstallations: { 7: { installations } } };
      return callRest(`/iam/v2/accountAssociations/${group}`, {
        token,
        body: { name: "a", github },
      });
    },
    "mappings to delete": async () => {
      const provider = await newProvider(group, { issuer: "https://a.example" });
      const body = { parent: provider, names: Array(2).fill(`${provider}/${"0".repeat(16)}`) };
      return callRest("/iam/v2/externalGroupRoleMappings:batchDelete", { token, body });
    },
    "filters of a list": () => {
      const query = `advisory_ids=a&advisory_ids=a&aliases=b&aliases=b&uidp.ids=${group}&uidp.ids=${group}`;
      return callRest(`/vulnerabilities/v2/advisories?${query}`, { token });
    },
    "audiences, capabilities and scopes of an exchange": () => {
      const query = `aud=${audience}&aud=${audience}&cap=repo.list&cap=repo.list&scopes=${group}&scopes=${group}`;
      return callRest(`/sts/exchange?${query}`, { token });
    },
    "matches of Grype": () => {
      const content = packedReport(grypeReport(Array(2).fill(matchOf("CVE-1", "High"))));
      return post(`vulnReports/${repo}`, { digest: fakeDigest("g"), content });
    },
    "members of an SPDX document": () => {
      const document = spdxDocument() as unknown as Record<string, unknown[]>;
      for (const list of ["packages", "files", "relationships"]) {
        document[list] = [...(document[list] ?? []), ...(document[list] ?? [])];
      }
      return putSbom(organization, repo, fakeDigest("spdx"), document);
    },
    "members of a CycloneDX document": () => {
      const document = cycloneDxDocument() as unknown as Record<string, unknown[]>;
      for (const list of ["components", "dependencies"]) {
        document[list] = [...(document[list] ?? []), ...(document[list] ?? [])];
      }
      return putSbom(organization, repo, fakeDigest("cyclonedx"), document);
    },
    "manifests of an index": () => {
      const entry = { digest: fakeDigest("m"), platform: { os: "linux", architecture: "amd64" } };
      const content = base64({ manifests: [entry, entry, { ...entry, digest: fakeDigest("n") }] });
      return post(`manifests/${repo}`, { mediaType: indexType, content });
    },
    "layers of a manifest": () => {
      const layer = { digest: fakeDigest("l"), size: 1 };
      const content = base64({ config: { size: 1 }, layers: [layer, layer] });
      return post(`manifests/${repo}`, { mediaType: manifestType, content });
    },
  }),
  ...answering(400, {
    "tag moves, a moment with two digests": () => {
      const moves = [move, { ...move, digest: fakeDigest("2") }];
      return post(`tagMoves/${group}:import`, { moves });
    },
  }),
  ...answering(409, {
    "role bindings of a batch": async () => {
      const { uid } = await createResource(`/iam/v2/identities/${group}`, token, { name: "bot" });
      const roleBinding = { identityUid: uid, roleUid: await roleUid("viewer") };
      const body = { parent: group, requests: [{ roleBinding }, { roleBinding }] };
      return callRest("/iam/v2/roleBindings:batchCreate", { token, body });
    },
  }),
];

test.each(calls)("%s", async (_, send, status) => {
  const { status: found, body } = await send();
  expect([found, found === status ? "" : body]).toEqual([status, ""]);
});

describe("in an advisory of version 1", () => {
  const event = { timestamp: "2024-01-01T00:00:00Z", detection: { manual: {} } };
  const create = (advisory: object) =>
    callRest("/vulnerabilities/v1/advisories", {
      token,
      body: {
        parentId: group,
        advisory: { artifactName: "box", artifactType: "apk", events: [event, event], ...advisory },
      },
    });

  test("an alias is rejected by name, and an event becomes another event", async () => {
    const refused = await create({ aliases: ["A", "A", "B"] });
    expect([refused.status, refused.body.message]).toEqual([
      400,
      expect.stringContaining("advisory.aliases"),
    ]);
    const { status, body } = await create({ aliases: ["A", "B"] });
    expect([status, body.events?.length]).toEqual([200, 2]);
    const path = `/vulnerabilities/v1/advisories/${body.id}`;
    const put = (aliases: string[]) =>
      callRest(path, { method: "PUT", token, body: { ...body, aliases } });
    expect((await put(["A", "C", "A"])).status).toBe(400);
    expect((await put(["B", "C"])).status).toBe(200);
  });
});
