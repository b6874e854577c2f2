/** Lists about the images of a repository, and about the moves of its tags. */
import { type CostCase, pageSize } from "./case.ts";
import { digestOf, imageRepoUid, organizationOf, startTime } from "./rows.ts";

const { root, team } = organizationOf("5");
const image = imageRepoUid(organizationOf("5"));
const since = new Date(startTime + 140 * 3_600_000).toISOString();

export const imageLists: CostCase[] = [
  {
    name: "ListManifests",
    kind: "List under a scope",
    path: `/registry/v2/manifests?repoUid=${image}&page_size=${pageSize}`,
  },
  {
    name: "ListTagMoves of the root",
    kind: "List under a scope",
    path: `/registry/v2/tagMoves?uidp.descendants_of=${root}&page_size=${pageSize}`,
  },
  {
    name: "ListTagMoves of a team with filters",
    kind: "List under a scope",
    path: `/registry/v2/tagMoves?uidp.descendants_of=${team}&page_size=${pageSize}&tag=no*&kinds=TAG_MOVE_KIND_DELETED&since=2020-01-01T00:00:00Z`,
  },
  {
    name: "ListTagMoves of a repository with warnings",
    kind: "List under a scope",
    path: `/registry/v2/tagMoves?uidp.children_of=${image}&page_size=${pageSize}&has_warnings=true`,
  },
  {
    name: "ListTagMoves of a digest",
    kind: "List under a scope",
    path: `/registry/v2/tagMoves?uidp.children_of=${image}&page_size=${pageSize}&digest=${digestOf("move 7")}`,
  },
  ...["Findings", "Packages"].map(
    (what): CostCase => ({
      name: `List${what} of an image`,
      kind: "List under a scope",
      path: `/registry/v2/${what.toLowerCase()}?uidp.children_of=${image}&page_size=${pageSize}&digest=${digestOf("tag 7")}`,
    }),
  ),
  {
    name: "ListTagMoves of a tag",
    kind: "List under a scope",
    path: `/registry/v2/tagMoves?uidp.children_of=${image}&page_size=${pageSize}&tag=latest`,
  },
  {
    name: "ListPastTags",
    kind: "List under a scope",
    path: `/registry/v2/pastTags?repo_uid=${image}&page_size=${pageSize}&at=${since}`,
  },
  {
    name: "ListRepoUsages",
    kind: "List under a scope",
    path: `/registry/v2/repoUsages?group=${root}&page_size=${pageSize}`,
  },
];
