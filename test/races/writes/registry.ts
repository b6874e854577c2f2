/** Writes of repositories, tags and data about images. */
import { fakeDigest } from "../../world/personas.ts";
import { manifestOf, moveOf, sbomNamed, vulnReportOf } from "../fixtures.ts";
import type { RaceWorld } from "../world.ts";
import { type Write, writesOf } from "./write.ts";

const repos: Write[] = [
  ...writesOf("ReposService/CreateRepo", {
    "of a new name": ({ organization: parent }) => ({ parent, repo: { name: "new" } }),
    "in the leaf": ({ leaf: parent }) => ({ parent, repo: { name: "new" } }),
    "as a copy": ({ organization: parent, source }) => ({
      parent,
      repo: { name: "copy", syncConfig: { source } },
    }),
  }),
  ...writesOf("ReposService/UpdateRepo", {
    name: ({ repo: uid }) => ({ repo: { uid, name: "new" } }),
    description: ({ repo: uid }) => ({ repo: { uid, description: "changed" } }),
    "to be a copy": ({ repo: uid, source }) => ({
      repo: { uid, syncConfig: { source } },
      updateMask: "sync_config",
    }),
    "tier of the source": ({ source: uid }) => ({
      repo: { uid, catalogTier: "CATALOG_TIER_BASE" },
    }),
  }),
  ...writesOf("ReposService/DeleteRepo", {
    "with images": ({ repo: uid }) => ({ uid }),
    "that others copy": ({ source: uid }) => ({ uid }),
  }),
  ...writesOf("ReposService/UpdateRepoReadme", {
    "of the repo": ({ repo: uid }) => ({ repoReadme: { uid, content: "# Read me" } }),
  }),
  ...writesOf("registry.Registry/CreateRepo", {
    "of a new name": ({ organization: parentId }) => ({
      parentId,
      repo: { name: "new", readme: "# Of version 1" },
    }),
    "over the one there is": ({ organization: parentId }) => ({
      parentId,
      repo: { name: "repo", readme: "# Of version 1" },
    }),
  }),
  ...writesOf("registry.Registry/UpdateRepo", {
    "of the repo": ({ repo: id }) => ({ id, name: "repo", readme: "# Changed" }),
  }),
  ...writesOf("registry.Registry/DeleteRepo", { "with images": ({ repo: id }) => ({ id }) }),
];

const to = (name: string, image: string) => ({ name, digest: fakeDigest(image) });
/** A move at a time during the races. */
const late = ({ stage }: RaceWorld) => ({
  ...moveOf("repo", "latest", "late", 0),
  updateTime: new Date(stage.time + 30_000).toISOString(),
});

const tags: Write[] = [
  ...writesOf("TagsService/CreateTag", {
    "of a new name": ({ repo: parent }) => ({ parent, tag: to("new", "two") }),
    "moves it": ({ repo: parent }) => ({ parent, tag: to("latest", "two") }),
    "moves it elsewhere": ({ repo: parent }) => ({ parent, tag: to("latest", "elsewhere") }),
    "deprecates it": ({ repo: parent }) => ({
      parent,
      tag: { ...to("latest", "one"), deprecated: true },
    }),
  }),
  ...writesOf("TagsService/RollbackTag", {
    "to what it has": ({ tag: uid, manifestDigest: digest }) => ({ uid, digest }),
  }),
  ...writesOf("TagsService/DeleteTag", {
    "that moved": ({ tag: uid }) => ({ uid }),
    another: ({ otherTag: uid }) => ({ uid }),
  }),
  ...writesOf("registry.Registry/CreateTag", {
    "moves it": ({ repo: repoId }) => ({ repoId, tag: to("latest", "four") }),
    "of a new name": ({ repo: repoId }) => ({ repoId, tag: to("new", "four") }),
  }),
  ...writesOf("registry.Registry/UpdateTag", {
    "of a new name": ({ tag: id }) => ({ id, ...to("new", "one") }),
    "moves it": ({ tag: id }) => ({ id, ...to("latest", "five") }),
    "another of a new name": ({ otherTag: id }) => ({ id, ...to("new", "one") }),
  }),
  ...writesOf("registry.Registry/DeleteTag", { "that moved": ({ tag: id }) => ({ id }) }),
  ...writesOf("TagMovesService/ImportTagMoves", {
    "that are older": ({ organization: parent }) => ({
      parent,
      moves: [moveOf("repo", "latest", "older", 10)],
    }),
    "that are newer": ({ organization: parent }) => ({
      parent,
      moves: [moveOf("repo", "latest", "two", 40), moveOf("repo", "latest", "three", 50)],
    }),
    "that are newest": ({ organization: parent }) => ({
      parent,
      moves: [moveOf("repo", "latest", "six", 45), moveOf("repo", "latest", "one", 60)],
    }),
    "of now": (world) => ({ parent: world.organization, moves: [late(world)] }),
    "of a new tag": ({ organization: parent }) => ({
      parent,
      moves: [moveOf("repo", "new", "zero", 10), moveOf("repo", "new", "one", 20)],
    }),
    "of a new repo": ({ organization: parent }) => ({
      parent,
      moves: [moveOf("new", "latest", "zero", 10)],
    }),
  }),
];

/** Rules that keep the tag that the others move and delete. */
const keeping = { includeTags: ["latest"], keep: { writeOnce: true } };

const rules: Write[] = [
  ...writesOf("TagRulesService/CreateTagRule", {
    "that keeps it": ({ repo: parent }) => ({ parent, tagRule: { name: "kept", ...keeping } }),
    "of the group that keeps it": ({ organization: parent }) => ({
      parent,
      tagRule: { name: "kept", ...keeping },
    }),
  }),
  ...writesOf("TagRulesService/UpdateTagRule", {
    "to keep it": ({ standard: { TagRulesService: uid = "" } }) => ({
      tagRule: { uid, includeTags: ["latest"] },
    }),
  }),
];

const newHold = { name: "new", digests: [fakeDigest("one")] };

const holds: Write[] = [
  ...writesOf("ImageHoldsService/CreateImageHold", {
    "of a new name": ({ repo: parent }) => ({ parent, imageHold: newHold }),
  }),
  ...writesOf("ImageHoldsService/UpdateImageHold", {
    name: ({ imageHold: uid }) => ({ imageHold: { uid, name: "new" } }),
    digests: ({ imageHold: uid }) => ({ imageHold: { uid, digests: [fakeDigest("two")] } }),
  }),
  ...writesOf("ImageHoldsService/DeleteImageHold", { it: ({ imageHold: uid }) => ({ uid }) }),
];

const repoOf = (plan: string) => plan.slice(0, -17);

const plans: Write[] = [
  ...writesOf("ExpiryPlansService/CreateExpiryPlan", {
    "of its repo": ({ expiring: parent }) => ({ parent }),
  }),
  ...writesOf("ExpiryPlansService/ApproveExpiryPlan", {
    "that waits": ({ waitingPlan: uid }) => ({ uid }),
  }),
  ...writesOf("ExpiryPlansService/CarryOutExpiryPlan", {
    "that is ready": ({ readyPlan: uid }) => ({ uid }),
  }),
  ...writesOf("ExpiryPlansService/CancelExpiryPlan", {
    "that is ready": ({ readyPlan: uid }) => ({ uid }),
    "that waits": ({ waitingPlan: uid }) => ({ uid }),
  }),
  ...writesOf("ExpiryPlansService/UndoExpiryPlan", { it: ({ donePlan: uid }) => ({ uid }) }),
  ...writesOf("TagsService/CreateTag", {
    "moves what expires": ({ readyPlan }) => ({
      parent: repoOf(readyPlan),
      tag: to("old", "two"),
    }),
    "of a name that a plan has deleted": ({ donePlan }) => ({
      parent: repoOf(donePlan),
      tag: to("old", "two"),
    }),
  }),
  ...writesOf("TagRulesService/CreateTagRule", {
    "that keeps what expires": ({ organization: parent }) => ({
      parent,
      tagRule: { name: "kept", includeTags: ["old"], keep: { writeOnce: true } },
    }),
  }),
];

const report =
  (id: string) =>
  ({ repo: parent }: RaceWorld) => ({
    parent,
    vulnReport: vulnReportOf(id),
  });

const images: Write[] = [
  ...writesOf("ManifestsService/CreateManifest", {
    "adds the configuration": ({ repo: parent }) => ({
      parent,
      manifest: manifestOf({ withConfig: true }),
    }),
    "that is new": ({ source: parent }) => ({ parent, manifest: manifestOf() }),
    "that is new, with its configuration": ({ source: parent }) => ({
      parent,
      manifest: manifestOf({ withConfig: true }),
    }),
  }),
  ...writesOf("ManifestsService/DeleteManifest", {
    "of the image": ({ manifest: uid }) => ({ uid }),
  }),
  ...writesOf("SbomsService/CreateSbom", {
    second: ({ repo: parent }) => ({ parent, sbom: sbomNamed("second") }),
    third: ({ repo: parent }) => ({ parent, sbom: sbomNamed("third") }),
    "that is new": ({ source: parent }) => ({ parent, sbom: sbomNamed("first") }),
  }),
  ...writesOf("VulnReportsService/CreateVulnReport", {
    "that is new": report("CVE-2026-2"),
    "of another": report("CVE-2026-3"),
  }),
];

export const registryWrites: Write[] = [...repos, ...tags, ...rules, ...holds, ...plans, ...images];
