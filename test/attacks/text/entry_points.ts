/** The calls that accept texts. Each puts a bad text into its request. */
import { create, toBinary } from "@bufbuild/protobuf";
import { CreateGroupRequestSchema } from "../../../schema/gen/platform/iam/v2/groups_pb.js";
import { manifestType, newRepoIn, sha256Of } from "../../registry/images/stored_images.ts";
import { cycloneDxDocument, spdxDocument } from "../../registry/sboms/documents.ts";
import { grypeReport, matchOf, packedReport } from "../../registry/vuln_reports/grype_reports.ts";
import { plain } from "../../vulnerabilities/osv/osv_imports.ts";
import { csafDocument, csafVulnerability } from "../../vulnerabilities/vex/csaf_imports.ts";
import { type Json, openVexOf, statementOf } from "../../vulnerabilities/vex/vex_imports.ts";
import { fakeDigest, newOrganization, type Organization } from "../../world/personas.ts";
import { type Answer, baseUrl, callRest } from "../../world/platform.ts";

/** The address of the calls. */
export interface TextTarget {
  organization: Organization;
  repo: string;
}

export async function newTextTarget(): Promise<TextTarget> {
  const organization = await newOrganization();
  return { organization, repo: await newRepoIn(organization) };
}

/** A call with the bad text at every `~` of its request. */
type Send = (place: TextTarget, bad: string) => Promise<Answer>;

const put = (value: unknown, bad: string): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll("~", JSON.stringify(bad).slice(1, -1)));

const base64 = (value: unknown) =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64");

const send =
  (path: (place: TextTarget) => string, body: unknown, method = "POST"): Send =>
  (place, bad) =>
    callRest(path(place), { method, token: place.organization.owner.token, body: put(body, bad) });

const repos = ({ organization: { uid } }: TextTarget) => `/registry/v2/repos/${uid}`;
const newRepoWith = (members: object) => send(repos, { name: "a", ...members });

const load = (list: string, of: string, value: unknown) =>
  send(({ organization: { uid } }) => `/vulnerabilities/v2/${list}/${uid}:import`, {
    [of]: [value],
  });
const osv = (change: object) => load("osvRecords", "records", plain("O-1", change));
const vex = (change: Json) =>
  load("openVexDocuments", "documents", openVexOf([statementOf(change)]));
const stated = "documents[0].statements[0]";

/** A document, encoded in base64. */
const content =
  (list: string, document: unknown, more: object = {}): Send =>
  (place, bad) =>
    send(({ repo }) => `/registry/v2/${list}/${repo}`, {
      content: base64(put(document, bad)),
      ...more,
    })(place, bad);

const imageConfig: Send = (place, bad) => {
  const config = JSON.stringify(put({ architecture: "amd64", config: { Env: ["A=1", "~"] } }, bad));
  const manifest = { config: { size: 5, digest: sha256Of(config) }, layers: [] };
  const more = { mediaType: manifestType, config: base64(config) };
  return content("manifests", manifest, more)(place, bad);
};

const grype: Send = (place, bad) => {
  const report = grypeReport([matchOf("CVE-2024-0001", "High", { description: "~" })]);
  const body = { digest: fakeDigest("g"), content: packedReport(put(report, bad)) };
  return send(({ repo }) => `/registry/v2/vulnReports/${repo}`, body)(place, bad);
};

const moves = ["a", "~"].map((tag, second) => ({
  updateTime: `2025-01-01T00:00:0${second}Z`,
  ...{ repo: "python", tag, digest: fakeDigest("m") },
}));

const rpc = "/platform.iam.v2.GroupsService/CreateGroup";

const connectJson: Send = ({ organization: { uid, owner } }, bad) =>
  callRest(rpc, {
    token: owner.token,
    headers: { "content-type": "application/json" },
    body: put({ parent: uid, group: { name: "g", description: "~" } }, bad),
  });

/** Each call, and the field or the place in the document that its error names. */
export const textEntryPoints: [door: string, send: Send, names: string][] = [
  ["REST, a text", newRepoWith({ description: "~" }), "description"],
  ["REST, in a list", newRepoWith({ bundles: ["b", "~"] }), "bundles[1]"],
  [
    "REST, in a map",
    newRepoWith({ customOverlay: { environment: { A: "~" } } }),
    'custom_overlay.environment["A"]',
  ],
  [
    "REST, a name in a map",
    newRepoWith({ customOverlay: { environment: { "~": "b" } } }),
    "custom_overlay.environment[",
  ],
  [
    "REST, in a oneof",
    send(({ organization: { uid } }) => `/iam/v2/identities/${uid}`, {
      name: "a",
      claimMatch: { issuer: "https://a.example", subject: "~" },
    }),
    "claim_match.subject",
  ],
  [
    "REST, an update",
    send(({ repo }) => `/registry/v2/repos/${repo}`, { description: "~" }, "PATCH"),
    "description",
  ],
  [
    "REST, a list",
    send(({ organization: { uid } }) => `/iam/v1/rolebindings/batch/${uid}`, [{ identity: "~" }]),
    "role_bindings[0].identity",
  ],
  [
    "REST, version 1",
    (place, bad) =>
      send(() => "/vulnerabilities/v1/advisories", {
        parentId: place.organization.uid,
        advisory: { aliases: ["a", "~"] },
      })(place, bad),
    "advisory.aliases[1]",
  ],
  ["Connect, JSON", connectJson, "description"],
  ["OSV, a text", osv({ summary: "~" }), "records[0].summary"],
  [
    "OSV, in an unread member",
    osv({ database_specific: { a: [{ b: "~" }] } }),
    "records[0].database_specific.a[0].b",
  ],
  ["OSV, a name", osv({ database_specific: { "~": 1 } }), "records[0].database_specific["],
  [
    "OpenVEX, impact_statement",
    vex({ status: "not_affected", impact_statement: "~" }),
    `${stated}.impact_statement`,
  ],
  ["OpenVEX, status_notes", vex({ status_notes: "~" }), `${stated}.status_notes`],
  [
    "OpenVEX, action_statement",
    vex({ status: "affected", action_statement: "~" }),
    `${stated}.action_statement`,
  ],
  ["OpenVEX, a product", vex({ products: [{ "@id": "~" }] }), `${stated}.products[0].@id`],
  [
    "CSAF, a note",
    load(
      "csafDocuments",
      "documents",
      csafDocument([csafVulnerability({ notes: [{ text: "~" }] })]),
    ),
    "documents[0].vulnerabilities[0].notes[0].text",
  ],
  [
    "SBOM, SPDX",
    content("sboms", { ...spdxDocument(), comment: "~" }, { digest: fakeDigest("s") }),
    "content: comment",
  ],
  [
    "SBOM, CycloneDX",
    content("sboms", { ...cycloneDxDocument(), x: ["~"] }, { digest: fakeDigest("c") }),
    "content: x[0]",
  ],
  ["Grype", grype, "content: matches[0].vulnerability.description"],
  ["an image configuration", imageConfig, "config: config.Env[1]"],
  [
    "a manifest",
    content(
      "manifests",
      { config: { size: 1 }, layers: [], annotations: { a: "~" } },
      { mediaType: manifestType },
    ),
    "content: annotations.a",
  ],
  [
    "tag moves",
    send(({ organization: { uid } }) => `/registry/v2/tagMoves/${uid}:import`, { moves }),
    "moves[1].tag",
  ],
];

/** A call in protobuf with these bytes as a text, over Connect and gRPC-Web. */
export async function inProtobuf({ organization: { uid, owner } }: TextTarget, bytes: number[]) {
  const description = "~".repeat(bytes.length);
  const request = { parent: uid, group: { name: "g", description } };
  const message = toBinary(CreateGroupRequestSchema, create(CreateGroupRequestSchema, request));
  message.set(bytes, message.length - bytes.length);
  const framed = new Uint8Array([0, 0, 0, 0, message.length, ...message]);
  const ask = (type: string, body: Uint8Array<ArrayBuffer>) =>
    fetch(`${baseUrl()}${rpc}`, {
      method: "POST",
      headers: { authorization: `Bearer ${owner.token}`, "content-type": type },
      body,
    });
  const connect = await ask("application/proto", new Uint8Array(message));
  const grpcWeb = await (await ask("application/grpc-web+proto", framed)).text();
  return {
    connect: [connect.status, ((await connect.json()) as { message: string }).message],
    grpcWeb: [
      /grpc-status: (\d+)/i.exec(grpcWeb)?.[1],
      decodeURIComponent(/grpc-message: ([^\r]*)/i.exec(grpcWeb)?.[1] ?? ""),
    ],
  };
}
