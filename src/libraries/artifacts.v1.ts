import type { DescEnumValue } from "@bufbuild/protobuf";
import {
  type Artifact,
  ArtifactSchema,
  Artifacts,
  type ArtifactVersion,
  ArtifactVersionSchema,
  Ecosystem,
  EcosystemSchema,
  SourceType,
  SourceTypeSchema,
} from "../../schema/gen/platform/libraries/artifacts_pb.js";
import {
  type Artifact as ArtifactV2,
  type ArtifactVersion as ArtifactVersionV2,
  Ecosystem as EcosystemV2,
} from "../../schema/gen/platform/libraries/v2/artifacts_pb.js";
import { invalidArgument } from "../aip/errors.ts";
import { wholeMessage } from "../aip/whole_message.ts";
import { service } from "../rpc/service.ts";
import { callV2, emptyIfNotFound, listV2 } from "../rpc/version1.ts";
import { artifactsService } from "./artifacts.ts";

/** The ecosystems that libraries belong to: the numbers of version 1, with the values of version 2. */
const servedEcosystems = new Map<Ecosystem, EcosystemV2>([
  [Ecosystem.JAVA, EcosystemV2.JAVA],
  [Ecosystem.PYTHON, EcosystemV2.PYTHON],
]);

/**
 * Builds the request for version 2. Without any ecosystem it covers all of them. If none of the named
 * ecosystems has libraries, version 2 is still called, for its rules and the caller's grants. `isEmpty` then
 * says to ignore its response. Throws INVALID_ARGUMENT for an unknown ecosystem.
 */
function toRequestedEcosystems(requestedEcosystems: Ecosystem[]): {
  ecosystems: EcosystemV2[];
  isEmpty: boolean;
} {
  if (requestedEcosystems.length === 0)
    return { ecosystems: [...servedEcosystems.values()], isEmpty: false };
  requestedEcosystems.forEach((ecosystem, index) => {
    const isKnown =
      ecosystem !== Ecosystem.UNKNOWN && EcosystemSchema.value[ecosystem] !== undefined;
    if (isKnown) return;
    const field = `ecosystems[${index}]`;
    const names = EcosystemSchema.values.filter(({ number }) => number !== Ecosystem.UNKNOWN);
    const text = `${field} must be one of ${names.map(({ name }) => name).join(", ")}`;
    throw invalidArgument(field, `${text}; you sent ${ecosystem}`);
  });
  const ecosystems = [...new Set(requestedEcosystems)].flatMap(
    (ecosystem) => servedEcosystems.get(ecosystem) ?? [],
  );
  const isEmpty = requestedEcosystems.length > 0 && ecosystems.length === 0;
  return { ecosystems: isEmpty ? [EcosystemV2.JAVA] : ecosystems, isEmpty };
}

function toV1({ uid: id, createTime, updateTime, ecosystem, ...artifact }: ArtifactV2): Artifact {
  const { name, description, latestVersion, versionCount } = artifact;
  return wholeMessage(ArtifactSchema, {
    id,
    name,
    description,
    latestVersion,
    versionCount,
    // The numbers are those of version 2, which has fewer of them.
    ecosystem: ecosystem as number,
    createdAt: createTime,
    updatedAt: updateTime,
  });
}

/** The place where a version was built is not recorded. */
const sourceType = SourceType.UNSPECIFIED;
const { name: sourceName } = SourceTypeSchema.value[sourceType] as DescEnumValue;

function toVersion(artifact: string, version: ArtifactVersionV2): ArtifactVersion {
  const { name, version: text, description, sizeBytes, createTime, updateTime } = version;
  return wholeMessage(ArtifactVersionSchema, {
    id: `${artifact}:${text}:${sourceName}`,
    name,
    version: text,
    description,
    sizeBytes,
    sourceType,
    createdAt: createTime,
    updatedAt: updateTime,
    // The platform does not record these.
    malwareScanned: undefined,
    malwareMalicious: undefined,
    upstreamPublishedDate: undefined,
  });
}

/** `include_upstream` has no effect in both Lists. It adds mirrored libraries, and the platform has none. */
export const artifactsV1 = service(Artifacts, {
  async list({ ecosystems: requestedEcosystems, query, cudaVersion, remediated, ...page }, call) {
    const { ecosystems, isEmpty } = toRequestedEcosystems(requestedEcosystems);
    const { pageSize, pageToken, skip } = page;
    const cuda = cudaVersion === "" ? {} : { cudaVersion };
    const request = { ecosystems, query, ...cuda, remediated, pageSize, pageToken, skip };
    const response = await callV2(artifactsService, "listArtifacts", request, call);
    if (isEmpty) return { skipped: response.skipped };
    const { artifacts, nextPageToken, totalCount, skipped } = response;
    const totalArtifacts = Number(totalCount);
    return { items: artifacts.map(toV1), nextPageToken, totalArtifacts, skipped };
  },

  async listVersions({ id: artifactId }, call) {
    const names = { artifact_id: "id" };
    const response = await emptyIfNotFound(
      listV2(artifactsService, "listArtifactVersions", { artifactId }, call, { names }),
    );
    const versions = "artifactVersions" in response ? response.artifactVersions : [];
    return { items: versions.map((version) => toVersion(artifactId, version)) };
  },

  async getArtifactCount({ ecosystems: requestedEcosystems }, call) {
    const { ecosystems, isEmpty } = toRequestedEcosystems(requestedEcosystems);
    const { counts } = await callV2(artifactsService, "getArtifactCount", { ecosystems }, call);
    const totals = new Map(
      isEmpty ? [] : counts.map(({ ecosystem, totalCount }) => [ecosystem as number, totalCount]),
    );
    return {
      counts: [
        ...new Set(requestedEcosystems.length > 0 ? requestedEcosystems : servedEcosystems.keys()),
      ].map((ecosystem) => ({
        ecosystem,
        totalArtifacts: Number(totals.get(ecosystem) ?? 0n),
      })),
    };
  },
});
