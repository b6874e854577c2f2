import type { JsonObject } from "../operation.ts";
/** The code that the guest was handed. */
export interface AcceptGroupInviteRequest {
    /** As CreateGroupInvite answered it. */
    code: string;
}
/** Documents to accept. */
export interface AcceptTermsRequest {
    /** The organization that accepts. */
    group: string;
    /** Ids of the documents with their versions, such as `sfdpa.v1`; at least one. */
    documentIds: readonly string[];
}
/** What holds now. */
export interface AcceptTermsResponse {
    /** The organization, as in the request. */
    group?: string;
    /** The documents that are accepted. */
    documentIds?: string[];
}
/**
 * The accounts of a group at cloud providers. Each member stands for one provider and is absent
 * when there is no link.
 */
export interface AccountAssociation {
    /** The uid of the group; the association has none of its own. */
    uid: string;
    /** A label: lower-case letters, digits, space, dot, underscore and dash. */
    name: string;
    /** Free text on one line, at most 512 characters. */
    description?: string;
    /** The AWS account. */
    amazon?: AccountAssociationAmazon;
    /** The Google Cloud project. */
    google?: AccountAssociationGoogle;
    /** The identities that services of the operator assume in this group. */
    vendor?: AccountAssociationVendor;
    /** The Microsoft Entra tenant. */
    azure?: AccountAssociationAzure;
    /** When it was created. */
    createTime: string;
    /** When it last changed; at first, when it was created. */
    updateTime: string;
    /** The installations of GitHub Apps. */
    github?: AccountAssociationGitHub;
}
/** An AWS account. */
export interface AccountAssociationAmazon {
    /** The account number, 12 digits. */
    account: string;
}
/** An AWS account. */
export interface AccountAssociationAmazonInput {
    /** The account number, 12 digits. */
    account: string;
}
/** A Microsoft Entra tenant and the applications to use in it. */
export interface AccountAssociationAzure {
    /** The tenant, a GUID. */
    tenantId?: string;
    /**
     * From the name of a component of the service to the application (client) id it signs in with, a
     * GUID.
     */
    clientIds?: Record<string, string>;
}
/** A Microsoft Entra tenant and the applications to use in it. */
export interface AccountAssociationAzureInput {
    /** The tenant, a GUID. */
    tenantId: string;
    /**
     * From the name of a component of the service to the application (client) id it signs in with, a
     * GUID.
     */
    clientIds: Record<string, string>;
}
/** GitHub Apps installed by this group. */
export interface AccountAssociationGitHub {
    /** From the id of an app to its installations. The key is a string in JSON. */
    appInstallations?: Record<string, AccountAssociationGitHubAppInstallations>;
}
/** The installations of one app; a message because a map cannot hold a list. */
export interface AccountAssociationGitHubAppInstallations {
    /** One for each account that installed the app. */
    installations?: AccountAssociationGitHubInstallation[];
}
/** The installations of one app; a message because a map cannot hold a list. */
export interface AccountAssociationGitHubAppInstallationsInput {
    /** One for each account that installed the app. */
    installations?: readonly AccountAssociationGitHubInstallationInput[] | undefined;
}
/** GitHub Apps installed by this group. */
export interface AccountAssociationGitHubInput {
    /** From the id of an app to its installations. The key is a string in JSON. */
    appInstallations?: Record<string, AccountAssociationGitHubAppInstallationsInput> | undefined;
}
/** One installation of a GitHub App. */
export interface AccountAssociationGitHubInstallation {
    /** The id that GitHub gave the installation. */
    installationId: string;
    /** The user or organization that installed it. For people to read; nothing depends on it. */
    name?: string;
}
/** One installation of a GitHub App. */
export interface AccountAssociationGitHubInstallationInput {
    /** The id that GitHub gave the installation. */
    installationId: string;
    /** The user or organization that installed it. For people to read; nothing depends on it. */
    name?: string | undefined;
}
/** A Google Cloud project. */
export interface AccountAssociationGoogle {
    /** The id of the project, as in its URLs. */
    projectId: string;
    /**
     * The number of the project in decimal digits. It is a string, as the provider's own API has it.
     */
    projectNumber: string;
}
/** A Google Cloud project. */
export interface AccountAssociationGoogleInput {
    /** The id of the project, as in its URLs. */
    projectId: string;
    /**
     * The number of the project in decimal digits. It is a string, as the provider's own API has it.
     */
    projectNumber: string;
}
/**
 * The accounts of a group at cloud providers. Each member stands for one provider and is absent
 * when there is no link.
 */
export interface AccountAssociationInput {
    /** A label: lower-case letters, digits, space, dot, underscore and dash. */
    name: string;
    /** Free text on one line, at most 512 characters. */
    description?: string | undefined;
    /** The AWS account. */
    amazon?: AccountAssociationAmazonInput | undefined;
    /** The Google Cloud project. */
    google?: AccountAssociationGoogleInput | undefined;
    /** The identities that services of the operator assume in this group. */
    vendor?: AccountAssociationVendorInput | undefined;
    /** The Microsoft Entra tenant. */
    azure?: AccountAssociationAzureInput | undefined;
    /** The installations of GitHub Apps. */
    github?: AccountAssociationGitHubInput | undefined;
}
/** Which identity each service of the operator assumes in this group. */
export interface AccountAssociationVendor {
    /**
     * From the name of a service principal, such as `COSIGNED`, to the uid of the identity. The
     * identity must stand directly under this group and be of that very service principal, else
     * INVALID_ARGUMENT.
     */
    serviceBindings?: Record<string, string>;
}
/** Which identity each service of the operator assumes in this group. */
export interface AccountAssociationVendorInput {
    /**
     * From the name of a service principal, such as `COSIGNED`, to the uid of the identity. The
     * identity must stand directly under this group and be of that very service principal, else
     * INVALID_ARGUMENT.
     */
    serviceBindings: Record<string, string>;
}
/** The providers whose link can be tried. */
export type AccountProviderType = 
/** Not a provider: INVALID_ARGUMENT. */
"ACCOUNT_PROVIDER_TYPE_UNSPECIFIED"
/** Google Cloud. */
 | "ACCOUNT_PROVIDER_TYPE_GOOGLE"
/** Amazon Web Services. */
 | "ACCOUNT_PROVIDER_TYPE_AMAZON"
/** Microsoft Azure. */
 | "ACCOUNT_PROVIDER_TYPE_AZURE";
/** One vulnerability in one artifact. */
export interface Advisory {
    /** The uid of the group and one step more. */
    uid: string;
    /** The public id: a prefix of the operator and three groups of four characters. */
    advisoryId?: string;
    /** When it was written down first. */
    createTime: string;
    /** When it last changed; at first, when it was created. */
    updateTime: string;
    /** When it was withdrawn. Absent while it stands. */
    deleteTime?: string;
    /** E-mail address of whoever, or name of whatever, wrote it down. */
    author?: string;
    /** What is shipped: a package, a wheel, a jar. */
    artifactName?: string;
    /** What sort of thing that is, such as `apk`, `image` or `library`. */
    artifactType?: string;
    /** What it is built for, such as `x86_64` or `aarch64`. */
    artifactArchitecture?: string;
    /** The part of the artifact in which the vulnerability was found. */
    componentName?: string;
    /**
     * Where that part lies in the artifact: a path. Of an imported advisory, what identifies the part
     * in its place: its package URL; in VEX without one its CPE name, else its URI, hash or name.
     */
    componentLocation?: string;
    /** The ecosystem that the part comes from, such as `go-module` or `python`. */
    componentType?: string;
    /** Ids of the vulnerability elsewhere, CVE and GHSA. */
    aliases?: string[];
    /** What happened, oldest first. */
    events?: AdvisoryEvent[];
    /** The id that it had before it moved here. */
    legacyAdvisoryId?: string;
    /** How bad it is, by what is published under its aliases. */
    severities?: VulnerabilitiesSeverity[];
}
/** A step in the life of an advisory. */
export interface AdvisoryEvent {
    /** The uid of the advisory and one step more. */
    uid: string;
    /** When it was written down. */
    createTime: string;
    /** What a scanner reported: JSON, base64 in JSON. */
    findings?: string;
    /** E-mail address of whoever, or name of whatever, wrote it down. */
    author?: string;
    /** Who looked it over. */
    reviewer?: string;
    /** Where the review stands. */
    reviewState?: ReviewState;
    /** The issue in the tracker that it came from. */
    issue?: string;
    /** The vulnerability was detected. */
    detection?: AdvisoryEventDetection;
    /** A version without it was shipped. */
    fixed?: AdvisoryEventFixed;
    /** It was found not to apply. */
    falsePositiveDetermination?: AdvisoryEventFalsePositiveDetermination;
    /** Nobody will look into it. */
    analysisNotPlanned?: AdvisoryEventAnalysisNotPlanned;
    /** It will not be fixed. */
    fixNotPlanned?: AdvisoryEventFixNotPlanned;
    /** It waits for those who make the component. */
    pendingUpstreamFix?: AdvisoryEventPendingUpstreamFix;
    /** It was found to apply. */
    truePositiveDetermination?: AdvisoryEventTruePositiveDetermination;
    /** Versions with a patch were shipped. */
    patched?: AdvisoryEventPatched;
    /** The component was found at another place. Says nothing of how the vulnerability stands. */
    componentLocationChanged?: AdvisoryEventComponentLocationChanged;
    /** When it last changed; at first, when it was created. */
    updateTime: string;
}
/** Nobody will look into it. */
export interface AdvisoryEventAnalysisNotPlanned {
    /** Why not. */
    note?: string;
}
/** The component turned up at another place in the artifact. */
export interface AdvisoryEventComponentLocationChanged {
    /** The path where it lay before. */
    previousLocation?: string;
    /** The path where it lies now. */
    newLocation?: string;
    /** Words on it. */
    note?: string;
}
/** How the vulnerability was detected. */
export interface AdvisoryEventDetection {
    /** A search in the National Vulnerability Database. */
    nvdapi?: AdvisoryEventDetectionNVDAPI;
    /** Somebody looked. */
    manual?: AdvisoryEventDetectionManual;
    /** A scanner's match. */
    scanv1?: AdvisoryEventDetectionScanV1;
}
/** Somebody looked; more is not recorded. */
export type AdvisoryEventDetectionManual = Record<string, never>;
/** A match in the National Vulnerability Database. */
export interface AdvisoryEventDetectionNVDAPI {
    /** The keyword that was searched for. */
    cpeSearched?: string;
    /** The CPE name that was found. */
    cpeFound?: string;
}
/** A match that a scanner reported. */
export interface AdvisoryEventDetectionScanV1 {
    /** Name of the scanner. */
    scanner?: string;
    /** The package, of those built along with the origin package, that was scanned. */
    subpackage?: string;
    /** The scanner's own id of the component. */
    componentId?: string;
    /** Name of the component. */
    component?: string;
    /** Version of the component. */
    componentVersion?: string;
    /** The ecosystem that the component comes from. */
    componentType?: string;
    /** Where the component lies in the package: a path. */
    componentLocation?: string;
    /** Version of the package that was scanned. */
    artifactVersion?: string;
    /** Version of the scanner. */
    scannerVersion?: string;
    /** When the scanner's database was built: RFC 3339. */
    grypeDbBuilt?: string;
    /** Checksum of the scanner's database. */
    grypeDbChecksum?: string;
}
/** Why it does not apply. */
export interface AdvisoryEventFalsePositiveDetermination {
    /** The reason. */
    type?: AdvisoryEventFalsePositiveDeterminationType;
    /** The reasoning in words. */
    note?: string;
}
/** Why a vulnerability does not apply, with the justification that VEX has for it. */
export type AdvisoryEventFalsePositiveDeterminationType = 
/** Not told. */
"TYPE_UNSPECIFIED"
/** The record of the vulnerability is itself disputed; in VEX, vulnerable_code_not_present. */
 | "TYPE_VULNERABILITY_RECORD_ANALYSIS_CONTESTED"
/** The record is about another component; in VEX, component_not_present. */
 | "TYPE_COMPONENT_VULNERABILITY_MISMATCH"
/** No version that it affects was ever shipped; in VEX, vulnerable_code_not_present. */
 | "TYPE_VULNERABLE_CODE_VERSION_NOT_USED"
/** The code in question is left out of the package; in VEX, vulnerable_code_not_present. */
 | "TYPE_VULNERABLE_CODE_NOT_INCLUDED_IN_PACKAGE"
/** The code is there but never runs; in VEX, vulnerable_code_not_in_execute_path. */
 | "TYPE_VULNERABLE_CODE_NOT_IN_EXECUTION_PATH"
/** No attacker gets at the code; in VEX, vulnerable_code_cannot_be_controlled_by_adversary. */
 | "TYPE_VULNERABLE_CODE_CANNOT_BE_CONTROLLED_BY_ADVERSARY"
/** Something in the code itself already prevents it; in VEX, inline_mitigations_already_exist. */
 | "TYPE_INLINE_MITIGATIONS_EXIST";
/** It will stay. */
export interface AdvisoryEventFixNotPlanned {
    /** Why. */
    note?: string;
}
/** The version that is free of it. */
export interface AdvisoryEventFixed {
    /** The first good version. */
    fixedVersion?: string;
    /** Words on it. */
    note?: string;
    /** Version of the scanner that found it gone. */
    scannerVersion?: string;
    /** When that scanner's database was built: RFC 3339. */
    grypeDbBuilt?: string;
    /** Checksum of that scanner's database. */
    grypeDbChecksum?: string;
}
/** Patched without a new version of the component. */
export interface AdvisoryEventPatched {
    /** The versions that carry the patch. */
    patchedVersions?: string[];
    /** Words on the patch. */
    note?: string;
}
/** Others have to fix it first. */
export interface AdvisoryEventPendingUpstreamFix {
    /** What is awaited. */
    note?: string;
}
/** It does apply. */
export interface AdvisoryEventTruePositiveDetermination {
    /** The reasoning in words. */
    note?: string;
}
/** One judgement of how bad a vulnerability is. */
export interface AdvisorySeverity {
    /** How it was judged. */
    type?: AdvisorySeverityType;
    /** The CVSS vector, or the bare number. */
    score?: string;
}
/** How a severity was judged. */
export type AdvisorySeverityType = 
/** Not told. */
"TYPE_UNSPECIFIED"
/** By version 2 of the Common Vulnerability Scoring System. */
 | "TYPE_CVSS_V2"
/** By version 3 of the Common Vulnerability Scoring System. */
 | "TYPE_CVSS_V3"
/** By version 4 of the Common Vulnerability Scoring System. */
 | "TYPE_CVSS_V4";
/** What imports of advisories come from. */
export type AdvisorySource = 
/** All sources, and advisories that were written by hand. */
"ADVISORY_SOURCE_UNSPECIFIED"
/** OSV records. Libraries come from these only. */
 | "ADVISORY_SOURCE_OSV"
/** VEX statements of OpenVEX and CSAF documents, which are not kept apart. */
 | "ADVISORY_SOURCE_VEX";
/** Nobody will look into it. */
export interface AnalysisNotPlanned {
    /** Why not. */
    note?: string;
}
/** The architectures of an image. */
export interface Architectures {
    /**
     * In the order of the index, such as `amd64` and `arm64`; a variant follows after a slash, as in
     * `arm/v7`. `arm64/v8` is told as `arm64`, whose only variant it is.
     */
    architectures?: string[];
}
/** A library, with all its versions. */
export interface Artifact {
    /** An id that follows from ecosystem and name; one path segment, without a slash. */
    uid: string;
    /** The name in its ecosystem. */
    name?: string;
    /** That of the newest version. */
    description?: string;
    /** Where it is published. */
    ecosystem?: Ecosystem;
    /** The newest version. */
    latestVersion?: string;
    /** How many versions there are. */
    versionCount: number;
    /** When its first version was published. */
    createTime: string;
    /** When its newest version was published. */
    updateTime: string;
}
/** One version of a library. */
export interface ArtifactVersion {
    /** The uid of the library and a step more. */
    uid: string;
    /** The name of the library. */
    name?: string;
    /** The version, as written in its ecosystem. */
    version?: string;
    /** What its makers say about it. */
    description?: string;
    /** When it was first published. */
    createTime: string;
    /** When it was last published: a rebuild counts. */
    updateTime: string;
    /** Size of its files; an estimate. */
    sizeBytes: string;
}
/** Role bindings for one group (AIP-231). */
export interface BatchCreateRoleBindingsRequest {
    /** The group on which the roles are to hold. */
    parent: string;
    /** One for each binding, 1 to 25. */
    requests: readonly CreateRoleBindingRequest[];
    /** The role of every request that names none. INVALID_ARGUMENT if a request names another one. */
    roleUid?: string | undefined;
}
/** What was bound. */
export interface BatchCreateRoleBindingsResponse {
    /** The bindings made, in the order of the requests. */
    roleBindings?: RoleBinding[];
}
/** Mappings of one identity provider, up to 1000. */
export interface BatchDeleteExternalGroupRoleMappingsRequest {
    /** The identity provider that all of them belong to. */
    parent: string;
    /** The uids of the mappings. */
    names: readonly string[];
}
/** What was removed. */
export interface BatchDeleteExternalGroupRoleMappingsResponse {
    /** The identity provider, as in the request. */
    parent?: string;
    /** The mappings removed, as they were. Those not found are missing here. */
    externalGroupRoleMappings?: ExternalGroupRoleMapping[];
}
/**
 * What a role can allow. The number is what is stored with a role, the bit is what a token carries,
 * and neither is ever used again. A capability is held on a group, through a role binding, and on
 * everything below that group.
 */
export type Capability = 
/** No capability: never granted. A name that is not known is read as this. */
"UNKNOWN"
/** Belongs to the operator: lets a role hold capabilities marked internal_only. */
 | "CAP_INTERNAL"
/** Create groups below a group. */
 | "CAP_IAM_GROUPS_CREATE"
/** Change groups. */
 | "CAP_IAM_GROUPS_UPDATE"
/** Read groups. */
 | "CAP_IAM_GROUPS_LIST"
/** Delete groups. */
 | "CAP_IAM_GROUPS_DELETE"
/** Create invites into a group. */
 | "CAP_IAM_GROUP_INVITES_CREATE"
/** Read invites into a group. */
 | "CAP_IAM_GROUP_INVITES_LIST"
/** Delete invites into a group. */
 | "CAP_IAM_GROUP_INVITES_DELETE"
/** Create custom roles. */
 | "CAP_IAM_ROLES_CREATE"
/** Change custom roles. */
 | "CAP_IAM_ROLES_UPDATE"
/** Read roles. */
 | "CAP_IAM_ROLES_LIST"
/** Delete custom roles. */
 | "CAP_IAM_ROLES_DELETE"
/** Create role bindings. */
 | "CAP_IAM_ROLE_BINDINGS_CREATE"
/** Change role bindings. */
 | "CAP_IAM_ROLE_BINDINGS_UPDATE"
/** Read role bindings. */
 | "CAP_IAM_ROLE_BINDINGS_LIST"
/** Delete role bindings. */
 | "CAP_IAM_ROLE_BINDINGS_DELETE"
/** Create clusters. Opens nothing any more; kept so that stored roles stay readable. */
 | "CAP_TENANT_CLUSTERS_CREATE"
/** Change clusters. Opens nothing any more; kept so that stored roles stay readable. */
 | "CAP_TENANT_CLUSTERS_UPDATE"
/** Read clusters. Opens nothing any more; kept so that stored roles stay readable. */
 | "CAP_TENANT_CLUSTERS_LIST"
/** Delete clusters. Opens nothing any more; kept so that stored roles stay readable. */
 | "CAP_TENANT_CLUSTERS_DELETE"
/**
 * Find clusters at cloud providers. Opens nothing any more; kept so that stored roles stay
 * readable.
 */
 | "CAP_TENANT_CLUSTERS_DISCOVER"
/**
 * Read the images seen in clusters. Opens nothing any more; kept so that stored roles stay
 * readable.
 */
 | "CAP_TENANT_RECORDS_LIST"
/**
 * Read where in clusters images were seen. Opens nothing any more; kept so that stored roles stay
 * readable.
 */
 | "CAP_TENANT_RECORD_CONTEXTS_LIST"
/** Read the signatures of images. */
 | "CAP_TENANT_RECORD_SIGNATURES_LIST"
/**
 * Read how images fared under cluster policies. Opens nothing any more; kept so that stored roles
 * stay readable.
 */
 | "CAP_TENANT_RECORD_POLICY_RESULTS_LIST"
/**
 * Read the risks of images in clusters. Opens nothing any more; kept so that stored roles stay
 * readable.
 */
 | "CAP_TENANT_RISKS_LIST"
/** Read the software bills of materials of images. */
 | "CAP_TENANT_SBOMS_LIST"
/** Read the vulnerability reports of images. */
 | "CAP_TENANT_VULN_REPORTS_LIST"
/** Read the attestations of images. */
 | "CAP_TENANT_ATTESTATIONS_LIST"
/** Create links to cloud accounts. */
 | "CAP_IAM_ACCOUNT_ASSOCIATIONS_CREATE"
/** Change links to cloud accounts. */
 | "CAP_IAM_ACCOUNT_ASSOCIATIONS_UPDATE"
/** Read links to cloud accounts. */
 | "CAP_IAM_ACCOUNT_ASSOCIATIONS_LIST"
/** Delete links to cloud accounts. */
 | "CAP_IAM_ACCOUNT_ASSOCIATIONS_DELETE"
/** Create cluster policies. Opens nothing any more; kept so that stored roles stay readable. */
 | "CAP_IAM_POLICY_CREATE"
/** Change cluster policies. Opens nothing any more; kept so that stored roles stay readable. */
 | "CAP_IAM_POLICY_UPDATE"
/** Read cluster policies. Opens nothing any more; kept so that stored roles stay readable. */
 | "CAP_IAM_POLICY_LIST"
/** Delete cluster policies. Opens nothing any more; kept so that stored roles stay readable. */
 | "CAP_IAM_POLICY_DELETE"
/** Create identities. */
 | "CAP_IAM_IDENTITY_CREATE"
/** Change identities. */
 | "CAP_IAM_IDENTITY_UPDATE"
/** Read identities. */
 | "CAP_IAM_IDENTITY_LIST"
/** Delete identities. */
 | "CAP_IAM_IDENTITY_DELETE"
/**
 * Read the nodes of clusters. Opens nothing any more; kept so that stored roles stay readable.
 */
 | "CAP_TENANT_NODES_LIST"
/**
 * Read the namespaces of clusters. Opens nothing any more; kept so that stored roles stay
 * readable.
 */
 | "CAP_TENANT_NAMESPACES_LIST"
/**
 * Read the workloads of clusters. Opens nothing any more; kept so that stored roles stay
 * readable.
 */
 | "CAP_TENANT_WORKLOADS_LIST"
/** Create identity providers and their role mappings. */
 | "CAP_IAM_IDENTITY_PROVIDERS_CREATE"
/** Change identity providers and their role mappings. */
 | "CAP_IAM_IDENTITY_PROVIDERS_UPDATE"
/** Read identity providers and their role mappings. */
 | "CAP_IAM_IDENTITY_PROVIDERS_LIST"
/** Delete identity providers and their role mappings. */
 | "CAP_IAM_IDENTITY_PROVIDERS_DELETE"
/** Issue, replace and revoke SCIM tokens, and switch SCIM on and off. */
 | "CAP_IAM_SCIM_MANAGE"
/** Create event subscriptions. */
 | "CAP_EVENTS_SUBSCRIPTION_CREATE"
/** Change event subscriptions. */
 | "CAP_EVENTS_SUBSCRIPTION_UPDATE"
/** Read event subscriptions. */
 | "CAP_EVENTS_SUBSCRIPTION_LIST"
/** Delete event subscriptions. */
 | "CAP_EVENTS_SUBSCRIPTION_DELETE"
/** Pull blobs from repos. */
 | "CAP_REPO_BLOBS_GET"
/** Create repos. */
 | "CAP_REPO_CREATE"
/** Change repos. */
 | "CAP_REPO_UPDATE"
/** Read repos. */
 | "CAP_REPO_LIST"
/** Delete repos. */
 | "CAP_REPO_DELETE"
/** Create manifests. */
 | "CAP_MANIFEST_CREATE"
/** Change manifests. */
 | "CAP_MANIFEST_UPDATE"
/** Read manifests. */
 | "CAP_MANIFEST_LIST"
/** Delete manifests. */
 | "CAP_MANIFEST_DELETE"
/** Create tags. */
 | "CAP_TAG_CREATE"
/** Change tags. */
 | "CAP_TAG_UPDATE"
/** Read tags. */
 | "CAP_TAG_LIST"
/** Delete tags. */
 | "CAP_TAG_DELETE"
/** Read the architectures and sizes of images. */
 | "CAP_MANIFEST_METADATA_LIST"
/** Read what refers to an image, such as signatures. */
 | "CAP_REFERRERS_LIST"
/**
 * Change what only the operator may change in repos: readme, tier, bundles, aliases, active tags
 * and syncing.
 */
 | "CAP_REPO_INTERNAL_ADMIN"
/** Create packages. */
 | "CAP_APK_CREATE"
/** Change packages. */
 | "CAP_APK_UPDATE"
/** Read packages. */
 | "CAP_APK_LIST"
/** Delete packages. */
 | "CAP_APK_DELETE"
/** Read the versions of packages and images. */
 | "CAP_VERSION_LIST"
/** Download packages. */
 | "CAP_APK_BLOBS_GET"
/** Ask for a vulnerability report. */
 | "CAP_VULN_REPORT_CREATE"
/** Read vulnerability reports. */
 | "CAP_VULN_REPORT_LIST"
/** Report vulnerabilities. */
 | "CAP_VULN_CREATE"
/** Read reports on builds. */
 | "CAP_BUILD_REPORT_LIST"
/** Read entitlements to images. */
 | "CAP_REGISTRY_ENTITLEMENTS_LIST"
/** Create entitlements to images. */
 | "CAP_REGISTRY_ENTITLEMENTS_CREATE"
/** Delete entitlements to images. */
 | "CAP_REGISTRY_ENTITLEMENTS_DELETE"
/** Read settings of the registry. */
 | "CAP_REGISTRY_SETTINGS_LIST"
/** Change the settings of the registry. */
 | "CAP_REGISTRY_SETTINGS_UPDATE"
/** Add images to an entitlement. */
 | "CAP_REGISTRY_ENTITLEMENTS_IMAGES_ADD"
/** Take images out of an entitlement. */
 | "CAP_REGISTRY_ENTITLEMENTS_IMAGES_REMOVE"
/** Swap an image of an entitlement for another. */
 | "CAP_REGISTRY_ENTITLEMENTS_IMAGES_SWAP"
/** Read overlays of images. */
 | "CAP_REGISTRY_OVERLAYS_LIST"
/** Create, change and delete overlays of images. */
 | "CAP_REGISTRY_OVERLAYS_EDIT"
/**
 * Create signing authorities. Opens nothing any more; kept so that stored roles stay readable.
 */
 | "CAP_SIGSTORE_CREATE"
/**
 * Change signing authorities. Opens nothing any more; kept so that stored roles stay readable.
 */
 | "CAP_SIGSTORE_UPDATE"
/** Read signing authorities. Opens nothing any more; kept so that stored roles stay readable. */
 | "CAP_SIGSTORE_LIST"
/**
 * Delete signing authorities. Opens nothing any more; kept so that stored roles stay readable.
 */
 | "CAP_SIGSTORE_DELETE"
/**
 * Have a signing certificate issued. Opens nothing any more; kept so that stored roles stay
 * readable.
 */
 | "CAP_SIGSTORE_CERTIFICATE_CREATE"
/** Create entitlements to libraries. */
 | "CAP_LIBRARIES_ENTITLEMENTS_CREATE"
/** Read entitlements to libraries. */
 | "CAP_LIBRARIES_ENTITLEMENTS_LIST"
/** Delete entitlements to libraries. */
 | "CAP_LIBRARIES_ENTITLEMENTS_DELETE"
/** Read libraries and their versions. */
 | "CAP_LIBRARIES_ARTIFACTS_LIST"
/** Pull Python libraries. */
 | "CAP_LIBRARIES_PYTHON_LIST"
/** Push Python libraries. */
 | "CAP_LIBRARIES_PYTHON_CREATE"
/** Pull Java libraries. */
 | "CAP_LIBRARIES_JAVA_LIST"
/** Push Java libraries. */
 | "CAP_LIBRARIES_JAVA_CREATE"
/** Pull JavaScript libraries. */
 | "CAP_LIBRARIES_JAVASCRIPT_LIST"
/** Push JavaScript libraries. */
 | "CAP_LIBRARIES_JAVASCRIPT_CREATE"
/** Pull .NET libraries. */
 | "CAP_LIBRARIES_DOTNET_LIST"
/** Push .NET libraries. */
 | "CAP_LIBRARIES_DOTNET_CREATE"
/** Pull Go libraries. */
 | "CAP_LIBRARIES_GO_LIST"
/** Push Go libraries. */
 | "CAP_LIBRARIES_GO_CREATE"
/** Create requests to rebuild libraries. */
 | "CAP_LIBRARIES_REBUILDER_REQUESTS_CREATE"
/** Read requests to rebuild libraries. */
 | "CAP_LIBRARIES_REBUILDER_REQUESTS_LIST"
/** Cancel requests to rebuild libraries. */
 | "CAP_LIBRARIES_REBUILDER_REQUESTS_CANCEL"
/** Change groups of requests to rebuild libraries. */
 | "CAP_LIBRARIES_REBUILDER_REQUESTS_GROUP_UPDATE"
/** Withdraw rebuilt libraries. */
 | "CAP_LIBRARIES_REBUILDER_ARTIFACTS_INVALIDATE"
/** Say which libraries are not rebuilt. */
 | "CAP_LIBRARIES_REBUILDER_EXCLUSIONS_MANAGE"
/** Read rebuilds of libraries. */
 | "CAP_LIBRARIES_REBUILDER_BUILDS_READ"
/** Fetch the tokens that a trusted rebuild needs. */
 | "CAP_LIBRARIES_REBUILDER_BUILDS_TOKENS_FETCH"
/** Act as a rebuild that runs code not yet trusted. */
 | "CAP_LIBRARIES_REBUILDER_BUILDS_UNTRUSTED"
/** Read libraries in which vulnerabilities were remedied. */
 | "CAP_LIBRARIES_REBUILDER_REMEDIATED_ARTIFACTS_READ"
/** Read which versions of libraries are new. */
 | "CAP_LIBRARIES_REBUILDER_NEW_VERSIONS_READ"
/** Look for new versions of libraries. */
 | "CAP_LIBRARIES_REBUILDER_NEW_VERSIONS_REFRESH"
/** Read whether a library was found to be malware. */
 | "CAP_LIBRARIES_REBUILDER_MALWARE_STATUS_READ"
/** Read remediations of vulnerabilities in libraries. */
 | "CAP_LIBRARIES_REBUILDER_CVE_REMEDIATIONS_LIST"
/** Drop cached resolutions of libraries. */
 | "CAP_LIBRARIES_CACHE_INVALIDATE"
/** Change remediations of vulnerabilities in libraries. */
 | "CAP_LIBRARIES_REBUILDER_CVE_REMEDIATIONS_UPDATE"
/** Read what resolutions of libraries are cached. */
 | "CAP_LIBRARIES_CACHE_LIST"
/** Record where the source of a library is. */
 | "CAP_LIBRARIES_REBUILDER_SOURCE_COORDINATES_WRITE"
/** Find out where the source of a library is. */
 | "CAP_LIBRARIES_REBUILDER_SOURCE_COORDINATES_RESOLVE"
/** Create subscriptions to libraries through the AWS Marketplace. */
 | "CAP_LIBRARIES_AWS_MARKETPLACE_SUBSCRIPTIONS_CREATE"
/** Change subscriptions to libraries through the AWS Marketplace. */
 | "CAP_LIBRARIES_AWS_MARKETPLACE_SUBSCRIPTIONS_UPDATE"
/** Read subscriptions to libraries through the AWS Marketplace. */
 | "CAP_LIBRARIES_AWS_MARKETPLACE_SUBSCRIPTIONS_LIST"
/** Create groups of requests for libraries. */
 | "CAP_LIBRARIES_REQUEST_GROUPS_CREATE"
/** Read groups of requests for libraries. */
 | "CAP_LIBRARIES_REQUEST_GROUPS_LIST"
/** Change groups of requests for libraries. */
 | "CAP_LIBRARIES_REQUEST_GROUPS_UPDATE"
/** Delete groups of requests for libraries. */
 | "CAP_LIBRARIES_REQUEST_GROUPS_DELETE"
/** Hand in groups of requests for libraries. */
 | "CAP_LIBRARIES_REQUEST_GROUPS_SUBMIT"
/** Change single requests of a group of them. */
 | "CAP_LIBRARIES_REQUEST_GROUPS_ITEMS_UPDATE"
/** Work out anew which requests for libraries are met. */
 | "CAP_LIBRARIES_REQUEST_GROUPS_REFRESH_COVERAGE"
/** Delete groups of requests for libraries after they were handed in. */
 | "CAP_LIBRARIES_REQUEST_GROUPS_DELETE_SUBMITTED"
/** Create remote registries of libraries. */
 | "CAP_LIBRARIES_REMOTE_REGISTRIES_CREATE"
/** Read remote registries of libraries. */
 | "CAP_LIBRARIES_REMOTE_REGISTRIES_LIST"
/** Delete remote registries of libraries. */
 | "CAP_LIBRARIES_REMOTE_REGISTRIES_DELETE"
/** Create advisories. */
 | "CAP_ADVISORIES_CREATE"
/** Change advisories and add events to them. */
 | "CAP_ADVISORIES_UPDATE"
/** Read advisories. */
 | "CAP_ADVISORIES_LIST"
/** Delete advisories. */
 | "CAP_ADVISORIES_DELETE"
/** Approve or reject events of advisories. */
 | "CAP_ADVISORIES_APPROVE"
/** Create deployments of images. */
 | "CAP_REGISTRY_DEPLOYMENTS_CREATE"
/** Change deployments of images. */
 | "CAP_REGISTRY_DEPLOYMENTS_UPDATE"
/** Read deployments of images. */
 | "CAP_REGISTRY_DEPLOYMENTS_LIST"
/** Create registry policies. */
 | "CAP_POLICIES_POLICY_CREATE"
/** Change registry policies. */
 | "CAP_POLICIES_POLICY_UPDATE"
/** Read registry policies. */
 | "CAP_POLICIES_POLICY_LIST"
/** Delete registry policies. */
 | "CAP_POLICIES_POLICY_DELETE"
/** Create bindings of registry policies. */
 | "CAP_POLICIES_BINDING_CREATE"
/** Change bindings of registry policies. */
 | "CAP_POLICIES_BINDING_UPDATE"
/** Read bindings of registry policies. */
 | "CAP_POLICIES_BINDING_LIST"
/** Delete bindings of registry policies. */
 | "CAP_POLICIES_BINDING_DELETE"
/** Read decisions of registry policies. */
 | "CAP_POLICIES_DECISION_LIST"
/** Create overrides of registry policies. */
 | "CAP_POLICIES_OVERRIDE_CREATE"
/** Read overrides of registry policies. */
 | "CAP_POLICIES_OVERRIDE_LIST"
/** Delete overrides of registry policies. */
 | "CAP_POLICIES_OVERRIDE_DELETE"
/** Try registry policies on a repo. */
 | "CAP_REPO_CHECK_POLICIES"
/** Read entitlements to packages. */
 | "CAP_PACKAGES_ENTITLEMENTS_LIST"
/** Accept terms for an organization. */
 | "CAP_TERMS_ACCEPT"
/** Read accepted terms. */
 | "CAP_TERMS_LIST"
/** Have container build files converted. */
 | "CAP_GUARDENER_DFC_CONVERT"
/** Create, change and delete associations of the guardener. */
 | "CAP_GUARDENER_ASSOCIATION_MANAGE"
/** Read associations of the guardener. */
 | "CAP_GUARDENER_ASSOCIATION_LIST"
/** Create, change and delete entitlements to the guardener. */
 | "CAP_GUARDENER_ENTITLEMENT_MANAGE"
/** Read entitlements to the guardener. */
 | "CAP_GUARDENER_ENTITLEMENT_LIST"
/** Have workflows migrated to hardened actions. */
 | "CAP_GUARDENER_ACTIONS_MIGRATE"
/** Read scans of the guardener. */
 | "CAP_GUARDENER_SCAN_LIST"
/** Read one scan of the guardener with its results. */
 | "CAP_GUARDENER_SCAN_GET"
/** Call tools over the Model Context Protocol. */
 | "CAP_MCP_TOOL_CALL"
/** Publish skills. */
 | "CAP_SKILLS_PUBLISH"
/** Create entitlements to skills. */
 | "CAP_SKILLS_ENTITLEMENTS_CREATE"
/** Read entitlements to skills. */
 | "CAP_SKILLS_ENTITLEMENTS_LIST"
/** Delete entitlements to skills. */
 | "CAP_SKILLS_ENTITLEMENTS_DELETE"
/** Write skills into the public registry of them. */
 | "CAP_SKILLS_WRITE"
/** Delete skills. */
 | "CAP_SKILLS_DELETE"
/** Read skills. */
 | "CAP_SKILLS_LIST"
/** Read runs that harden skills. */
 | "CAP_SKILLS_HARDEN_READ"
/** Start runs that harden skills. */
 | "CAP_SKILLS_HARDEN_WRITE"
/** Cancel runs that harden skills. */
 | "CAP_SKILLS_HARDEN_CANCEL"
/** Create documents of the service argos. */
 | "CAP_ARGOS_DOCUMENTS_CREATE"
/** Read documents of the service argos. */
 | "CAP_ARGOS_DOCUMENTS_LIST"
/** Delete documents of the service argos. */
 | "CAP_ARGOS_DOCUMENTS_DELETE"
/** Read single OSV records of the service argos. */
 | "CAP_ARGOS_OSV_READ"
/** Create policies for libraries. */
 | "CAP_LIBRARIES_POLICY_CREATE"
/** Change policies for libraries. */
 | "CAP_LIBRARIES_POLICY_UPDATE"
/** Read policies for libraries. */
 | "CAP_LIBRARIES_POLICY_LIST"
/** Delete policies for libraries. */
 | "CAP_LIBRARIES_POLICY_DELETE"
/** Create bindings of policies for libraries. */
 | "CAP_LIBRARIES_POLICY_BINDING_CREATE"
/** Change bindings of policies for libraries. */
 | "CAP_LIBRARIES_POLICY_BINDING_UPDATE"
/** Read bindings of policies for libraries. */
 | "CAP_LIBRARIES_POLICY_BINDING_LIST"
/** Delete bindings of policies for libraries. */
 | "CAP_LIBRARIES_POLICY_BINDING_DELETE"
/** Read what policies for libraries have blocked. */
 | "CAP_LIBRARIES_POLICY_BLOCK_EVENT_LIST"
/** Download all OSV records of the service argos. */
 | "CAP_ARGOS_OSV_DUMP"
/** Read hardened actions. */
 | "CAP_ACTIONS_LIST"
/** Create builds. */
 | "CAP_BUILDAPI_BUILD_CREATE"
/** Read builds. */
 | "CAP_BUILDAPI_BUILD_LIST"
/** Act as a worker that takes builds. */
 | "CAP_BUILDAPI_WORKER_SYNC"
/** Cancel builds. */
 | "CAP_BUILDAPI_BUILD_CANCEL"
/** Create remote executions. */
 | "CAP_REX_EXECUTIONS_CREATE"
/** Read remote executions. */
 | "CAP_REX_EXECUTIONS_LIST"
/** Act as a worker of remote execution. */
 | "CAP_REX_WORKERS_CONNECT"
/** Run on a class of workers. */
 | "CAP_REX_CLASS_USE"
/** Serve a class of workers. */
 | "CAP_REX_CLASS_SERVE"
/** Read from the content store of builds. */
 | "CAP_CASSIE_CAS_READ"
/** Write to the content store of builds. */
 | "CAP_CASSIE_CAS_WRITE"
/** Write cached results of build steps. */
 | "CAP_CASSIE_AC_WRITE"
/** Read cached results of build steps. */
 | "CAP_CASSIE_AC_READ"
/** Read logs of jobs. */
 | "CAP_LOGGIE_LOGS_READ"
/** Append to logs of jobs. */
 | "CAP_LOGGIE_LOGS_WRITE"
/** Open logs of jobs. */
 | "CAP_LOGGIE_LOGS_CREATE"
/** Use the service gulfstream. */
 | "CAP_GULFSTREAM";
/** The parts of the catalog. */
export type CatalogTier = 
/** Not known. */
"CATALOG_TIER_UNSPECIFIED"
/** Applications, ready to run. */
 | "CATALOG_TIER_APPLICATION"
/** Bases to build on: languages and distributions. */
 | "CATALOG_TIER_BASE"
/** Images with cryptography validated to FIPS 140. */
 | "CATALOG_TIER_FIPS"
/** Images for machine learning. */
 | "CATALOG_TIER_AI"
/** Tools for developers. */
 | "CATALOG_TIER_DEVTOOLS"
/** Images of commercial software. */
 | "CATALOG_TIER_COMMERCIAL";
/** Names the group and the provider to try. */
export interface CheckAccountAssociationRequest {
    /** The uid of the group. */
    uid: string;
    /** The provider to try. Required. */
    providerType: AccountProviderType;
}
/** What the trial came to. */
export interface CheckAccountAssociationResponse {
    /** Whether the link works. */
    status?: CheckStatus;
    /** A short reason in words when it does not work: not configured, or the exchange failed. */
    reason?: string;
    /** What the provider answered, if it answered with an error. */
    message?: string;
}
/** Nothing to say: the e-mail address comes from the caller's token. */
export type CheckEligibilityRequest = Record<string, never>;
/** Whether the caller's e-mail domain may be looked up. */
export interface CheckEligibilityResponse {
    /** The provider is trusted to verify addresses and the domain is not a public one. */
    eligible: boolean;
}
/** Whether a link works. */
export type CheckStatus = 
/** Never answered. */
"CHECK_STATUS_UNSPECIFIED"
/** The exchange of credentials succeeded. */
 | "CHECK_STATUS_READY"
/** The link is missing, misconfigured, or its exchange failed. */
 | "CHECK_STATUS_NOT_READY";
/** A role binding and its group. */
export interface CreateRoleBindingRequest {
    /**
     * The group on which the role is to hold. In a batch it may be empty, else it must be that of the
     * batch.
     */
    parent?: string | undefined;
    /** Only identityUid and roleUid are read. */
    roleBinding: RoleBindingInput;
}
/** What is added to each image of the source when it is rebuilt for this repo. */
export interface CustomOverlay {
    /** Packages, and where more come from at run time. */
    contents?: CustomOverlayImageContents;
    /**
     * Variables to set, by name. Names that begin with the vendor's in capitals and an underscore are
     * refused.
     */
    environment?: Record<string, string>;
    /**
     * Annotations to set, by key. Keys of the vendor and those beginning with `org.opencontainers.`
     * are refused.
     */
    annotations?: Record<string, string>;
    /** Users and groups to add. */
    accounts?: CustomOverlayAccounts;
    /** Certificates to trust. */
    certificates?: CustomOverlayCertificates;
}
/** Users and groups of the image. */
export interface CustomOverlayAccounts {
    /** The user that the image runs as: a name or a number. */
    runAs?: string;
    /** Users to add to /etc/passwd. */
    users?: CustomOverlayAccountsUser[];
    /** Groups to add to /etc/group. */
    groups?: CustomOverlayAccountsGroup[];
}
/** A group of users. */
export interface CustomOverlayAccountsGroup {
    /** Name of the group. */
    groupname: string;
    /** Group number. */
    gid: number;
    /** Names of the users in it. */
    members?: string[];
}
/** A group of users. */
export interface CustomOverlayAccountsGroupInput {
    /** Name of the group. */
    groupname: string;
    /** Group number. */
    gid?: number | undefined;
    /** Names of the users in it. */
    members?: readonly string[] | undefined;
}
/** Users and groups of the image. */
export interface CustomOverlayAccountsInput {
    /** The user that the image runs as: a name or a number. */
    runAs?: string | undefined;
    /** Users to add to /etc/passwd. */
    users?: readonly CustomOverlayAccountsUserInput[] | undefined;
    /** Groups to add to /etc/group. */
    groups?: readonly CustomOverlayAccountsGroupInput[] | undefined;
}
/** A user. */
export interface CustomOverlayAccountsUser {
    /** Login name. */
    username: string;
    /** User number. */
    uid: number;
    /** Number of the main group. */
    gid: number;
    /** Name of the main group, made along with the user if there is none. */
    groupName?: string;
    /** Path of the login shell. */
    shell?: string;
    /** Path of the home directory. */
    homeDir?: string;
}
/** A user. */
export interface CustomOverlayAccountsUserInput {
    /** Login name. */
    username: string;
    /** User number. */
    uid?: number | undefined;
    /** Number of the main group. */
    gid?: number | undefined;
    /** Name of the main group, made along with the user if there is none. */
    groupName?: string | undefined;
    /** Path of the login shell. */
    shell?: string | undefined;
    /** Path of the home directory. */
    homeDir?: string | undefined;
}
/** Certificates that the image trusts besides the usual ones. */
export interface CustomOverlayCertificates {
    /** Certificates given here. */
    additional?: CustomOverlayCertificatesAdditionalEntry[];
    /** Names of packages that bring certificates. */
    providers?: string[];
}
/** A certificate or a chain. */
export interface CustomOverlayCertificatesAdditionalEntry {
    /** The file name, without a directory; no leading dot. */
    name: string;
    /** The certificates in PEM, at most 65536 bytes. */
    content: string;
}
/** A certificate or a chain. */
export interface CustomOverlayCertificatesAdditionalEntryInput {
    /** The file name, without a directory; no leading dot. */
    name: string;
    /** The certificates in PEM, at most 65536 bytes. */
    content: string;
}
/** Certificates that the image trusts besides the usual ones. */
export interface CustomOverlayCertificatesInput {
    /** Certificates given here. */
    additional?: readonly CustomOverlayCertificatesAdditionalEntryInput[] | undefined;
    /** Names of packages that bring certificates. */
    providers?: readonly string[] | undefined;
}
/** What the file system of the image gets. */
export interface CustomOverlayImageContents {
    /** Names of packages to install, with a version after `=` if wanted. */
    packages?: string[];
    /**
     * Package repositories for use at run time, in place of the default ones in
     * /etc/apk/repositories.
     */
    runtimeRepositories?: string[];
    /** Public keys that sign those repositories, for /etc/apk/keys. */
    runtimeKeyring?: CustomOverlayImageContentsRuntimeKeyringEntry[];
}
/** What the file system of the image gets. */
export interface CustomOverlayImageContentsInput {
    /** Names of packages to install, with a version after `=` if wanted. */
    packages?: readonly string[] | undefined;
    /**
     * Package repositories for use at run time, in place of the default ones in
     * /etc/apk/repositories.
     */
    runtimeRepositories?: readonly string[] | undefined;
    /** Public keys that sign those repositories, for /etc/apk/keys. */
    runtimeKeyring?: readonly CustomOverlayImageContentsRuntimeKeyringEntryInput[] | undefined;
}
/** A public key for packages. */
export interface CustomOverlayImageContentsRuntimeKeyringEntry {
    /** The file name, which must be the one that the signature in the index names; no leading dot. */
    name: string;
    /** The RSA public key in PEM, at most 65536 bytes. */
    content: string;
}
/** A public key for packages. */
export interface CustomOverlayImageContentsRuntimeKeyringEntryInput {
    /** The file name, which must be the one that the signature in the index names; no leading dot. */
    name: string;
    /** The RSA public key in PEM, at most 65536 bytes. */
    content: string;
}
/** What is added to each image of the source when it is rebuilt for this repo. */
export interface CustomOverlayInput {
    /** Packages, and where more come from at run time. */
    contents?: CustomOverlayImageContentsInput | undefined;
    /**
     * Variables to set, by name. Names that begin with the vendor's in capitals and an underscore are
     * refused.
     */
    environment?: Record<string, string> | undefined;
    /**
     * Annotations to set, by key. Keys of the vendor and those beginning with `org.opencontainers.`
     * are refused.
     */
    annotations?: Record<string, string> | undefined;
    /** Users and groups to add. */
    accounts?: CustomOverlayAccountsInput | undefined;
    /** Certificates to trust. */
    certificates?: CustomOverlayCertificatesInput | undefined;
}
/** How the vulnerability was detected. */
export interface Detection {
    /** A search in the National Vulnerability Database. */
    nvdapi?: DetectionDetectionTypeNVDAPI;
    /** Somebody looked. */
    manual?: DetectionDetectionTypeManual;
    /** A scanner's match. */
    scanv1?: DetectionDetectionTypeScanV1;
}
/** Somebody looked; more is not recorded. */
export type DetectionDetectionTypeManual = Record<string, never>;
/** A match in the National Vulnerability Database. */
export interface DetectionDetectionTypeNVDAPI {
    /** The keyword that was searched for. */
    cpeSearched?: string;
    /** The CPE name that was found. */
    cpeFound?: string;
}
/** A match that a scanner reported. */
export interface DetectionDetectionTypeScanV1 {
    /** Name of the scanner. */
    scanner?: string;
    /** The package, of those built along with the origin package, that was scanned. */
    subpackageName?: string;
    /** The scanner's own id of the component. */
    componentId?: string;
    /** Name of the component. */
    componentName?: string;
    /** Version of the component. */
    componentVersion?: string;
    /** The ecosystem that the component comes from. */
    componentType?: string;
    /** Where the component lies in the package: a path. */
    componentLocation?: string;
    /** Version of the package that was scanned. */
    artifactVersion?: string;
    /** Version of the scanner. */
    scannerVersion?: string;
    /** When the scanner's database was built: RFC 3339. */
    grypeDbBuilt?: string;
    /** Checksum of the scanner's database. */
    grypeDbChecksum?: string;
}
/** All advisories of one origin package. */
export interface Document {
    /** Name of the origin package. */
    id?: string;
    /** Its advisories, by id. */
    advisories?: DocumentAdvisory[];
    /** An id that follows from the name of the package. */
    uid?: string;
    /** When its first advisory was written down. */
    createTime?: string;
    /** When any of its advisories last changed. */
    updateTime?: string;
}
/** One vulnerability in one origin package. */
export interface DocumentAdvisory {
    /** The public id of the advisory. */
    id?: string;
    /** What happened, oldest first. */
    events?: DocumentEvent[];
    /** Ids of the vulnerability elsewhere, CVE and GHSA. */
    aliases?: string[];
    /** The package repository that the origin package is published in. */
    packageNamespace?: string;
}
/** A step in the life of an advisory. */
export interface DocumentEvent {
    /** When it happened. */
    timestamp?: string;
    /** It was found to apply. */
    truePositiveDetermination?: TruePositiveDetermination;
    /** It was found not to apply. */
    falsePositiveDetermination?: FalsePositiveDetermination;
    /** A version without it was shipped. */
    fixed?: Fixed;
    /** The vulnerability was detected. */
    detection?: Detection;
    /** Nobody will look into it. */
    analysisNotPlanned?: AnalysisNotPlanned;
    /** It will not be fixed. */
    fixNotPlanned?: FixNotPlanned;
    /** It waits for those who make the component. */
    pendingUpstreamFix?: PendingUpstreamFix;
}
/** Where a library is published. */
export type Ecosystem = 
/** Not an ecosystem: INVALID_ARGUMENT. */
"ECOSYSTEM_UNSPECIFIED"
/** Maven. Names are `group:artifact`. */
 | "ECOSYSTEM_JAVA"
/** PyPI. */
 | "ECOSYSTEM_PYTHON";
/** The types of events, to filter advisories by. */
export type EventTypeFilter = 
/** No type; refused in a list of types. */
"EVENT_TYPE_FILTER_UNSPECIFIED"
/** Events with detection. */
 | "EVENT_TYPE_FILTER_DETECTION"
/** Events with truePositiveDetermination. */
 | "EVENT_TYPE_FILTER_TRUE_POSITIVE_DETERMINATION"
/** Events with fixed. */
 | "EVENT_TYPE_FILTER_FIXED"
/** Events with falsePositiveDetermination. */
 | "EVENT_TYPE_FILTER_FALSE_POSITIVE_DETERMINATION"
/** Events with analysisNotPlanned. */
 | "EVENT_TYPE_FILTER_ANALYSIS_NOT_PLANNED"
/** Events with fixNotPlanned. */
 | "EVENT_TYPE_FILTER_FIX_NOT_PLANNED"
/** Events with pendingUpstreamFix. */
 | "EVENT_TYPE_FILTER_PENDING_UPSTREAM_FIX"
/** Events with patched. */
 | "EVENT_TYPE_FILTER_PATCHED";
/** Names the advisory and the format. */
export interface ExportAdvisoryRequest {
    /** The uid of the advisory. */
    uid: string;
    /**
     * `osv`: the OSV record that the advisory was imported from, or else one made of it
     * (application/vnd.osv+json). `openvex`: an OpenVEX document of what holds now
     * (application/vnd.openvex+json).
     */
    format: string;
}
/**
 * A group at an identity provider and the role its members get at login. Unique by identity
 * provider, external group, role and scope.
 */
export interface ExternalGroupRoleMapping {
    /** The uid of the identity provider and one step more. */
    uid: string;
    /** The identity provider that the mapping belongs to: the parent of uid. */
    identityProviderUid?: string;
    /**
     * The group as the provider writes it in the groups claim of its tokens: a name or an id,
     * compared exactly, at most 255 characters. Needed on create.
     */
    externalGroupId?: string;
    /** The role that members get. Needed on create. */
    roleUid?: string;
    /**
     * The group on which they get it. At present it must be the organization of the identity
     * provider. Needed on create.
     */
    scope?: string;
    /** When it was created. */
    createTime: string;
    /** When it last changed; at first, when it was created. */
    updateTime: string;
}
/**
 * A group at an identity provider and the role its members get at login. Unique by identity
 * provider, external group, role and scope.
 */
export interface ExternalGroupRoleMappingInput {
    /**
     * The group as the provider writes it in the groups claim of its tokens: a name or an id,
     * compared exactly, at most 255 characters. Needed on create.
     */
    externalGroupId?: string | undefined;
    /** The role that members get. Needed on create. */
    roleUid?: string | undefined;
    /**
     * The group on which they get it. At present it must be the organization of the identity
     * provider. Needed on create.
     */
    scope?: string | undefined;
}
/** Why it does not apply. */
export interface FalsePositiveDetermination {
    /** The reason. */
    type?: FalsePositiveDeterminationType;
    /** The reasoning in words. */
    note?: string;
}
/** Why a vulnerability does not apply, with the justification that VEX has for it. */
export type FalsePositiveDeterminationType = 
/** Not told. */
"TYPE_UNSPECIFIED"
/** The record of the vulnerability is itself disputed; in VEX, vulnerable_code_not_present. */
 | "TYPE_VULNERABILITY_RECORD_ANALYSIS_CONTESTED"
/** The record is about another component; in VEX, component_not_present. */
 | "TYPE_COMPONENT_VULNERABILITY_MISMATCH"
/** No version that it affects was ever shipped; in VEX, vulnerable_code_not_present. */
 | "TYPE_VULNERABLE_CODE_VERSION_NOT_USED"
/** The code in question is left out of the package; in VEX, vulnerable_code_not_present. */
 | "TYPE_VULNERABLE_CODE_NOT_INCLUDED_IN_PACKAGE"
/** The code is there but never runs; in VEX, vulnerable_code_not_in_execute_path. */
 | "TYPE_VULNERABLE_CODE_NOT_IN_EXECUTION_PATH"
/** No attacker gets at the code; in VEX, vulnerable_code_cannot_be_controlled_by_adversary. */
 | "TYPE_VULNERABLE_CODE_CANNOT_BE_CONTROLLED_BY_ADVERSARY"
/** Something in the code itself already prevents it; in VEX, inline_mitigations_already_exist. */
 | "TYPE_INLINE_MITIGATIONS_EXIST";
/** It will stay. */
export interface FixNotPlanned {
    /** Why. */
    note?: string;
}
/** The version that is free of it. */
export interface Fixed {
    /** The first good version. */
    fixedVersion?: string;
    /** Version of the scanner that found it gone. */
    scannerVersion?: string;
    /** When that scanner's database was built: RFC 3339. */
    grypeDbBuilt?: string;
    /** Checksum of that scanner's database. */
    grypeDbChecksum?: string;
}
/** How long the first token lives. */
export interface GenerateScimTokenRequest {
    /** The identity provider that is to be provisioned. */
    identityProviderUid: string;
    /**
     * When the token is to stop working: at most 2 years from now, 1 year by default.
     * INVALID_ARGUMENT together with neverExpires.
     */
    expireTime?: string | undefined;
    /** The token works until it is revoked. */
    neverExpires?: boolean | undefined;
}
/** The first token and where to use it. */
export interface GenerateScimTokenResponse {
    /** The bearer token of the provisioning client. Shown this once. */
    token?: string;
    /** The base URL for the provisioning client. */
    endpointUrl?: string;
    /** When the token stops working. Unset if it never does. */
    expireTime?: string;
    /** The identity provider, as in the request. */
    identityProviderUid?: string;
    /** The version of the configuration now. */
    etag?: string;
}
/** Names an image. */
export interface GetArchitecturesRequest {
    /** The repo that holds the image. */
    repoUid: string;
    /** The digest of the image index: `sha256:` and 64 hexadecimal digits. */
    digest: string;
}
/** Names the ecosystems to count. */
export interface GetArtifactCountRequest {
    /** At least one. */
    ecosystems: readonly Ecosystem[];
}
/** The counts. */
export interface GetArtifactCountResponse {
    /** One for each ecosystem of the request, in its order. */
    counts?: GetArtifactCountResponseEcosystemCount[];
}
/** The count of one ecosystem. */
export interface GetArtifactCountResponseEcosystemCount {
    /** The ecosystem. */
    ecosystem?: Ecosystem;
    /** How many libraries it has; a string in JSON. */
    totalCount: string;
}
/** Names the repo whose readme is wanted. */
export interface GetRepoReadmeRequest {
    /** The uid of the repo. */
    uid: string;
}
/** Names an image and an architecture. */
export interface GetSizeRequest {
    /** The repo that holds the image. */
    repoUid: string;
    /** The digest of the image index: `sha256:` and 64 hexadecimal digits. */
    digest: string;
    /** Which architecture to measure; `amd64` by default. `arm64/v8` is `arm64`. */
    architecture?: string | undefined;
}
/** A node in the hierarchy: an organization if it has no parent. */
export interface Group {
    /**
     * 40 hexadecimal digits for an organization; below it, the uid of the parent, a slash and 16
     * more.
     */
    uid: string;
    /**
     * Lower-case letters, digits, space, dot, underscore and dash, at most 255 characters. Unique
     * among verified organizations, where it is usually a domain.
     */
    name: string;
    /** Free text on one line, at most 512 characters. */
    description?: string;
    /**
     * The most that the organization may have of a kind of resource, by its plural name, such as
     * `repositories`. A kind that is missing has no limit of its own.
     */
    resourceLimits?: Record<string, number>;
    /**
     * The organization has proved who it is. Its name then serves in place of its uid in registry
     * paths and at login. Set by the operator's staff only.
     */
    verified: boolean;
    /** When it was created. */
    createTime: string;
    /** When it last changed; at first, when it was created. */
    updateTime: string;
    /**
     * What sort of customer the organization is. Needed for a new verified organization; on a
     * subgroup it is that of the root, and setting it fails with INVALID_ARGUMENT.
     */
    kind?: OrgKind;
    /** How far the organization is set up. A subgroup shows the status of its root. */
    status?: OrgStatus;
}
/** A node in the hierarchy: an organization if it has no parent. */
export interface GroupInput {
    /**
     * Lower-case letters, digits, space, dot, underscore and dash, at most 255 characters. Unique
     * among verified organizations, where it is usually a domain.
     */
    name: string;
    /** Free text on one line, at most 512 characters. */
    description?: string | undefined;
    /**
     * The organization has proved who it is. Its name then serves in place of its uid in registry
     * paths and at login. Set by the operator's staff only.
     */
    verified?: boolean | undefined;
    /**
     * What sort of customer the organization is. Needed for a new verified organization; on a
     * subgroup it is that of the root, and setting it fails with INVALID_ARGUMENT.
     */
    kind?: OrgKind | undefined;
}
/** An invitation to join a group. */
export interface GroupInvite {
    /** The uid of the group and one step more. */
    uid: string;
    /** The role that the one who joins gets on the group. */
    roleUid: string;
    /** The role as it is now. Absent if it was deleted meanwhile; the invite is then of no use. */
    role?: GroupInviteRole;
    /**
     * Only the owner of this address, as verified by their identity provider, may join. Empty: anyone
     * who holds the code.
     */
    email?: string;
    /** When the code stops working: the time of the call that gave the ttl, plus the ttl. */
    expirationTime?: string;
    /** The first to join uses the invite up. */
    singleUse: boolean;
    /** The secret to hand to the guest. In the answer to a create only; not kept in the clear. */
    code?: string;
    /** Names the key that the code is verified with. No secret, and fit to tell invites apart. */
    keyId?: string;
    /** When it was created. */
    createTime: string;
    /** When it last changed; at first, when it was created. */
    updateTime: string;
}
/** An invitation to join a group. */
export interface GroupInviteInput {
    /** The role that the one who joins gets on the group. */
    roleUid: string;
    /**
     * Only the owner of this address, as verified by their identity provider, may join. Empty: anyone
     * who holds the code.
     */
    email?: string | undefined;
    /**
     * How long the invite is good for. Needed on create, and turned into expirationTime; never
     * returned. More than 0 and at most 10 years.
     */
    ttl: string;
    /** The first to join uses the invite up. */
    singleUse?: boolean | undefined;
}
/** The role of an invite, for display. */
export interface GroupInviteRole {
    /** The uid of the role. */
    uid?: string;
    /** Its name. */
    name?: string;
    /** Its description. */
    description?: string;
    /** What it allows, by number, without repeats. */
    capabilities?: Capability[];
}
/** Someone or something that can call. */
export interface Identity {
    /** The uid of the group and one step more; 40 hexadecimal digits for a person. */
    uid: string;
    /** Lower-case letters, digits, space, dot, underscore and dash, at most 255 characters. */
    name: string;
    /** Free text on one line, at most 512 characters. */
    description?: string;
    /** The e-mail address in the last upstream token that vouched for it. */
    email?: string;
    /**
     * The e-mail address in the last upstream token that did not vouch for it. Not to be relied on.
     */
    emailUnverified?: string;
    /** Where the person works, in their own words. */
    company?: string;
    /** When the identity was last assumed; at first, when it was created. */
    lastSeenTime?: string;
    /** When it was created. */
    createTime: string;
    /** When it last changed; at first, when it was created. */
    updateTime: string;
    /** Tokens of an OpenID Connect issuer, by their claims. */
    claimMatch?: IdentityClaimMatch;
    /** Tokens of an issuer that cannot be reached, by its public keys kept here. */
    staticKeys?: IdentityStaticKeys;
    /** A role or user at AWS that signs a GetCallerIdentity request. */
    awsIdentity?: IdentityAWSIdentity;
    /** A service of the operator. */
    servicePrincipal?: ServicePrincipal;
}
/** An AWS principal, as GetCallerIdentity tells it. */
export interface IdentityAWSIdentity {
    /** The account number, 12 digits. */
    awsAccount: string;
    /** The exact ARN. */
    arn?: string;
    /** A pattern that the ARN matches. */
    arnPattern?: string;
    /** The exact user id. */
    userId?: string;
    /** A pattern that the user id matches. */
    userIdPattern?: string;
}
/** An AWS principal, as GetCallerIdentity tells it. */
export interface IdentityAWSIdentityInput {
    /** The account number, 12 digits. */
    awsAccount: string;
    /**
     * The exact ARN.
     *
     * Instead of `arnPattern`.
     */
    arn?: string | undefined;
    /**
     * A pattern that the ARN matches.
     *
     * Instead of `arn`.
     */
    arnPattern?: string | undefined;
    /**
     * The exact user id.
     *
     * Instead of `userIdPattern`.
     */
    userId?: string | undefined;
    /**
     * A pattern that the user id matches.
     *
     * Instead of `userId`.
     */
    userIdPattern?: string | undefined;
}
/**
 * What the claims of a token must be. Patterns are regular expressions (RE2) that must match the
 * claim from end to end, and count in a token exchange only, where the client names the identity. A
 * pattern has at most 2048 characters and 512 instructions when repetitions are written out, and 50
 * groups within each other. The patterns of an identity together have at most 2048 instructions,
 * 8192 ranges of characters and 3 different Unicode classes.
 */
export interface IdentityClaimMatch {
    /**
     * The exact `iss` claim: an https URL of a host of the public internet, at port 443 or from 1024
     * on, without user, query and fragment, since its keys are fetched from there. This service's own
     * issuer is taken too, and so is http at loopback addresses where this service is at one itself.
     * For an issuer elsewhere there are static keys.
     */
    issuer?: string;
    /** A pattern that `iss` matches. */
    issuerPattern?: string;
    /** The exact `sub` claim. */
    subject?: string;
    /** A pattern that `sub` matches. */
    subjectPattern?: string;
    /** The exact `aud` claim. */
    audience?: string;
    /** A pattern that one value of `aud` matches. */
    audiencePattern?: string;
    /**
     * Further claims by name, each of which must be exactly this. Names and values together have at
     * most 16384 characters.
     */
    claims?: Record<string, string>;
    /**
     * Further claims by name, each of which must match this pattern. Names and patterns together have
     * at most 16384 characters.
     */
    claimPatterns?: Record<string, string>;
}
/**
 * What the claims of a token must be. Patterns are regular expressions (RE2) that must match the
 * claim from end to end, and count in a token exchange only, where the client names the identity. A
 * pattern has at most 2048 characters and 512 instructions when repetitions are written out, and 50
 * groups within each other. The patterns of an identity together have at most 2048 instructions,
 * 8192 ranges of characters and 3 different Unicode classes.
 */
export interface IdentityClaimMatchInput {
    /**
     * The exact `iss` claim: an https URL of a host of the public internet, at port 443 or from 1024
     * on, without user, query and fragment, since its keys are fetched from there. This service's own
     * issuer is taken too, and so is http at loopback addresses where this service is at one itself.
     * For an issuer elsewhere there are static keys.
     *
     * Instead of `issuerPattern`.
     */
    issuer?: string | undefined;
    /**
     * A pattern that `iss` matches.
     *
     * Instead of `issuer`.
     */
    issuerPattern?: string | undefined;
    /**
     * The exact `sub` claim.
     *
     * Instead of `subjectPattern`.
     */
    subject?: string | undefined;
    /**
     * A pattern that `sub` matches.
     *
     * Instead of `subject`.
     */
    subjectPattern?: string | undefined;
    /**
     * The exact `aud` claim.
     *
     * Instead of `audiencePattern`.
     */
    audience?: string | undefined;
    /**
     * A pattern that one value of `aud` matches.
     *
     * Instead of `audience`.
     */
    audiencePattern?: string | undefined;
    /**
     * Further claims by name, each of which must be exactly this. Names and values together have at
     * most 16384 characters.
     */
    claims?: Record<string, string> | undefined;
    /**
     * Further claims by name, each of which must match this pattern. Names and patterns together have
     * at most 16384 characters.
     */
    claimPatterns?: Record<string, string> | undefined;
}
/** Someone or something that can call. */
export interface IdentityInput {
    /** Lower-case letters, digits, space, dot, underscore and dash, at most 255 characters. */
    name: string;
    /** Free text on one line, at most 512 characters. */
    description?: string | undefined;
    /** Where the person works, in their own words. */
    company?: string | undefined;
    /**
     * Tokens of an OpenID Connect issuer, by their claims.
     *
     * Instead of `staticKeys`, `awsIdentity`, `servicePrincipal`.
     */
    claimMatch?: IdentityClaimMatchInput | undefined;
    /**
     * Tokens of an issuer that cannot be reached, by its public keys kept here.
     *
     * Instead of `claimMatch`, `awsIdentity`, `servicePrincipal`.
     */
    staticKeys?: IdentityStaticKeysInput | undefined;
    /**
     * A role or user at AWS that signs a GetCallerIdentity request.
     *
     * Instead of `claimMatch`, `staticKeys`, `servicePrincipal`.
     */
    awsIdentity?: IdentityAWSIdentityInput | undefined;
    /**
     * A service of the operator.
     *
     * Instead of `claimMatch`, `staticKeys`, `awsIdentity`.
     */
    servicePrincipal?: ServicePrincipal | undefined;
}
/**
 * What a person told about themselves, and which campaign brought them. No resource of its own: it
 * belongs to the caller's identity.
 */
export interface IdentityMetadata {
    /** The caller's identity. */
    uid?: string;
    /** The display name that the identity provider gave. */
    name?: string;
    /** The first part of the display name. */
    givenName?: string;
    /** The rest of the display name. */
    familyName?: string;
    /** Where the person works. */
    company?: string;
    /** The person wants to hear news. */
    updatesOptIn: boolean;
    /** The product they are interested in. */
    product?: string;
    /** What they do there. */
    jobTitle?: string;
    /** The campaign that brought them, as in the link they followed. */
    utmCampaign?: string;
    /** The part of the campaign that they clicked. */
    utmContent?: string;
    /** The sort of channel it came by, such as `email`. */
    utmMedium?: string;
    /** The site or list it came from. */
    utmSource?: string;
    /** The search words that were bought. */
    utmTerm?: string;
    /** The page of the form they last sent. */
    latestFormSubmitUrl?: string;
    /** The page of the site that led them to it. */
    latestInternalReferringUrl?: string;
    /**
     * The visitor's cookie of a marketing tool. Never stored, never returned: it is dropped, since
     * there is no such tool here.
     */
    hubspotUtk?: string;
    /** The person came in on their own, without sales. */
    selfServe: boolean;
    /** The clouds and other providers they use. */
    providers?: string[];
}
/**
 * What a person told about themselves, and which campaign brought them. No resource of its own: it
 * belongs to the caller's identity.
 */
export interface IdentityMetadataInput {
    /** Where the person works. */
    company?: string | undefined;
    /** The person wants to hear news. */
    updatesOptIn?: boolean | undefined;
    /** The product they are interested in. */
    product?: string | undefined;
    /** What they do there. */
    jobTitle?: string | undefined;
    /** The campaign that brought them, as in the link they followed. */
    utmCampaign?: string | undefined;
    /** The part of the campaign that they clicked. */
    utmContent?: string | undefined;
    /** The sort of channel it came by, such as `email`. */
    utmMedium?: string | undefined;
    /** The site or list it came from. */
    utmSource?: string | undefined;
    /** The search words that were bought. */
    utmTerm?: string | undefined;
    /** The page of the form they last sent. */
    latestFormSubmitUrl?: string | undefined;
    /** The page of the site that led them to it. */
    latestInternalReferringUrl?: string | undefined;
    /**
     * The visitor's cookie of a marketing tool. Never stored, never returned: it is dropped, since
     * there is no such tool here.
     */
    hubspotUtk?: string | undefined;
    /** The person came in on their own, without sales. */
    selfServe?: boolean | undefined;
    /** The clouds and other providers they use. */
    providers?: readonly string[] | undefined;
}
/** A way for the people of an organization to sign in. */
export interface IdentityProvider {
    /** The uid of the group and one step more. */
    uid: string;
    /** Lower-case letters, digits, space, dot, underscore and dash, at most 255 characters. */
    name: string;
    /** Free text on one line, at most 512 characters. */
    description?: string;
    /** When it was created. */
    createTime: string;
    /** When it last changed; at first, when it was created. */
    updateTime: string;
    /**
     * The uid of the role that a user gets at their first login. Empty is refused: INVALID_ARGUMENT.
     */
    defaultRole: string;
    /** OpenID Connect with the authorization code flow. */
    oidc?: IdentityProviderOIDC;
    /**
     * Provisioning of users. Read only: the SCIM methods change it, and a copy sent along with a
     * create or an update is ignored.
     */
    scim?: IdentityProviderSCIM;
}
/** A way for the people of an organization to sign in. */
export interface IdentityProviderInput {
    /** Lower-case letters, digits, space, dot, underscore and dash, at most 255 characters. */
    name: string;
    /** Free text on one line, at most 512 characters. */
    description?: string | undefined;
    /**
     * The uid of the role that a user gets at their first login. Empty is refused: INVALID_ARGUMENT.
     */
    defaultRole: string;
    /** OpenID Connect with the authorization code flow. */
    oidc?: IdentityProviderOIDCInput | undefined;
}
/** A client at an OpenID Connect provider whose discovery document is public. */
export interface IdentityProviderOIDC {
    /**
     * The URL of the provider, without `/.well-known/openid-configuration`: https, of a host of the
     * public internet, at port 443 or from 1024 on, without user, query and fragment. So must be the
     * endpoints that its discovery document names, which may have a query. Where this service is at a
     * loopback address, http at loopback addresses is taken too.
     */
    issuer?: string;
    /** The id that the provider gave this client. No secret. */
    clientId: string;
    /**
     * The secret that goes with it. Never returned, never in an event. Needed unless pkceEnabled. In
     * an update empty keeps the present one, unless the mask names it or the issuer changes: then it
     * is cleared.
     */
    clientSecret?: string;
    /** Scopes to ask for besides `openid`, such as `email` and `profile`. */
    additionalScopes?: string[];
    /** The claim that lists the user's groups, for role mappings. Empty: no role mappings. */
    groupsClaim?: string;
    /**
     * How a user who signs in is matched to one provisioned by SCIM. Set once: another value in an
     * update is refused, the same or none is fine.
     */
    correlationRule?: IdentityProviderOIDCCorrelationRule;
    /** Uses PKCE (RFC 7636) at the provider. */
    pkceEnabled: boolean;
}
/** Which claim is the SCIM externalId of the user. */
export type IdentityProviderOIDCCorrelationRule = 
/** Same as SUB_EQUALS_EXTERNAL_ID. */
"CORRELATION_RULE_UNSPECIFIED"
/** The `sub` claim. */
 | "CORRELATION_RULE_SUB_EQUALS_EXTERNAL_ID"
/** The `oid` claim, as in Microsoft Entra. */
 | "CORRELATION_RULE_OID_EQUALS_EXTERNAL_ID";
/** A client at an OpenID Connect provider whose discovery document is public. */
export interface IdentityProviderOIDCInput {
    /**
     * The URL of the provider, without `/.well-known/openid-configuration`: https, of a host of the
     * public internet, at port 443 or from 1024 on, without user, query and fragment. So must be the
     * endpoints that its discovery document names, which may have a query. Where this service is at a
     * loopback address, http at loopback addresses is taken too.
     */
    issuer: string;
    /** The id that the provider gave this client. No secret. */
    clientId: string;
    /**
     * The secret that goes with it. Never returned, never in an event. Needed unless pkceEnabled. In
     * an update empty keeps the present one, unless the mask names it or the issuer changes: then it
     * is cleared.
     */
    clientSecret?: string | undefined;
    /** Scopes to ask for besides `openid`, such as `email` and `profile`. */
    additionalScopes?: readonly string[] | undefined;
    /** The claim that lists the user's groups, for role mappings. Empty: no role mappings. */
    groupsClaim?: string | undefined;
    /**
     * How a user who signs in is matched to one provisioned by SCIM. Set once: another value in an
     * update is refused, the same or none is fine.
     */
    correlationRule?: IdentityProviderOIDCCorrelationRule | undefined;
    /** Uses PKCE (RFC 7636) at the provider. */
    pkceEnabled?: boolean | undefined;
}
/** The state of provisioning by SCIM. */
export interface IdentityProviderSCIM {
    /** Whether requests of the provisioning client are taken. SetScimEnabled changes it. */
    enabled: boolean;
    /** The base URL for the provisioning client. */
    endpointUrl?: string;
    /** When the token stops working. Unset if there is none, if it never expires, and in lists. */
    tokenExpireTime?: string;
    /** When the replaced token stops working. Set during an overlap only. */
    previousTokenExpireTime?: string;
    /** What the token is worth now. Unspecified in lists. */
    credentialState?: IdentityProviderSCIMCredentialState;
    /**
     * The version of this configuration, to be sent back by RegenerateScimToken and SetScimEnabled.
     */
    etag?: string;
}
/** What the SCIM token is worth. */
export type IdentityProviderSCIMCredentialState = 
/** Not told: lists leave it out. */
"CREDENTIAL_STATE_UNSPECIFIED"
/** No token was ever issued. */
 | "CREDENTIAL_STATE_NOT_ISSUED"
/** The token works. */
 | "CREDENTIAL_STATE_LIVE"
/** The token is past its expiry. */
 | "CREDENTIAL_STATE_EXPIRED"
/** The token was revoked. SCIM may still be switched on. */
 | "CREDENTIAL_STATE_REVOKED"
/** The token works, and so does the previous one until previousTokenExpireTime. */
 | "CREDENTIAL_STATE_ROTATING";
/** Keys kept here for an issuer that publishes none, or that this service cannot reach. */
export interface IdentityStaticKeys {
    /** The exact `iss` claim. */
    issuer: string;
    /** The exact `sub` claim. */
    subject: string;
    /** The public keys, a JSON Web Key Set (RFC 7517) of at most 65536 bytes. */
    issuerKeys: string;
    /**
     * When the identity stops working. At most 365 days after its creation, which is also the
     * default.
     */
    expirationTime?: string;
    /**
     * The exact `aud` claim: none or one. None means what the issuer of this service takes anyway.
     */
    audiences?: string[];
}
/** Keys kept here for an issuer that publishes none, or that this service cannot reach. */
export interface IdentityStaticKeysInput {
    /** The exact `iss` claim. */
    issuer: string;
    /** The exact `sub` claim. */
    subject: string;
    /** The public keys, a JSON Web Key Set (RFC 7517) of at most 65536 bytes. */
    issuerKeys: string;
    /**
     * When the identity stops working. At most 365 days after its creation, which is also the
     * default.
     */
    expirationTime?: string | undefined;
    /**
     * The exact `aud` claim: none or one. None means what the issuer of this service takes anyway.
     */
    audiences?: readonly string[] | undefined;
}
/** A repo, and which of its tags. */
export interface ImageRefInput {
    /**
     * Name of the repo, in any group in the caller's reach; or of the image as it is pulled, which
     * means that repo alone: `example.com/python`, where the organization stands as its uid or its
     * verified name, and the registry's host may stand in front.
     */
    repo: string;
    /** The tags that count. None: `latest`. */
    tags?: readonly string[] | undefined;
}
/** CSAF documents for one group. */
export interface ImportCsafDocumentsRequest {
    /** The group that is to hold the advisories. */
    parent: string;
    /** 1 to 100 documents; together they come to at most 2,000 advisories. */
    documents: readonly JsonObject[];
}
/** What the load came to, in advisories: one for each vulnerability in each product. */
export interface ImportCsafDocumentsResponse {
    /** Advisories that are new. */
    created: number;
    /** Advisories to which a statement was added. */
    updated: number;
    /** Advisories of which the documents said nothing new. */
    unchanged: number;
}
/** OpenVEX documents for one group. */
export interface ImportOpenVexDocumentsRequest {
    /** The group that is to hold the advisories. */
    parent: string;
    /** 1 to 100 documents; together they come to at most 2,000 advisories. */
    documents: readonly JsonObject[];
}
/** What the load came to, in advisories: one for each vulnerability in each product. */
export interface ImportOpenVexDocumentsResponse {
    /** Advisories that are new. */
    created: number;
    /** Advisories to which a statement was added. */
    updated: number;
    /** Advisories of which the documents said nothing new. */
    unchanged: number;
}
/** OSV records for one group. */
export interface ImportOsvRecordsRequest {
    /** The group that is to hold the advisories. */
    parent: string;
    /** 1 to 500 records as the OSV schema defines them; each needs `id` and `modified`. */
    records: readonly JsonObject[];
}
/** What the load came to. */
export interface ImportOsvRecordsResponse {
    /** Records that are new. */
    created: number;
    /** Records that replaced an older version. */
    updated: number;
    /** Records that were here in that version or a newer one. */
    unchanged: number;
}
/** Moves of tags in the repos of one group. */
export interface ImportTagMovesRequest {
    /** The group that holds the repos. */
    parent: string;
    /** 1 to 10000 moves, oldest first. */
    moves: readonly TagMoveInput[];
}
/** What the load came to. */
export interface ImportTagMovesResponse {
    /** Repos made on first mention. */
    createdRepos: number;
    /** Tags made on first mention. */
    createdTags: number;
    /** Moves that are new in the history. */
    recordedMoves: number;
    /** Moves that were on record, or that left the tag where it stood. */
    unchangedMoves: number;
}
/** Which account associations to list, and in what order. */
export interface ListAccountAssociationsRequest {
    /** Rows on the way up from this uid to its root, without the uid itself. */
    ancestorsOf?: string | undefined;
    /** Rows at any depth below this uid, without the uid itself. */
    descendantsOf?: string | undefined;
    /** Rows directly below this uid: the repos of a group, the tags of a repo. */
    childrenOf?: string | undefined;
    /** Only rows that have no parent: organizations, built-in roles, identities of people. */
    inRoot?: boolean | undefined;
    /**
     * Only these uids, up to 1000. Repeat the key in a query string, which has no room for more than
     * a few hundred.
     */
    ids?: readonly string[] | undefined;
    /** Only associations of exactly this name. */
    name?: string | undefined;
    /** Most rows to return: 50 if 0, at most 200 (AIP-158). */
    pageSize?: number | undefined;
    /**
     * The nextPageToken of the page before; empty for the first page. It is good for 3 days, after
     * which the list starts over, and for the same filters and order only, else INVALID_ARGUMENT.
     */
    pageToken?: string | undefined;
    /**
     * A field, and `asc` or `desc` after a space (AIP-132). By default `group`, the same as `uid`.
     * INVALID_ARGUMENT for a field that cannot be sorted by.
     */
    orderBy?: string | undefined;
    /** Rows to pass over from where pageToken stands, or from the start. */
    skip?: number | undefined;
}
/** Which advisories to list, and in what order. */
export interface ListAdvisoriesRequest {
    /** Rows on the way up from this uid to its root, without the uid itself. */
    ancestorsOf?: string | undefined;
    /** Rows at any depth below this uid, without the uid itself. */
    descendantsOf?: string | undefined;
    /** Rows directly below this uid: the repos of a group, the tags of a repo. */
    childrenOf?: string | undefined;
    /** Only rows that have no parent: organizations, built-in roles, identities of people. */
    inRoot?: boolean | undefined;
    /**
     * Only these uids, up to 1000. Repeat the key in a query string, which has no room for more than
     * a few hundred.
     */
    ids?: readonly string[] | undefined;
    /** Only these public ids. */
    advisoryIds?: readonly string[] | undefined;
    /** Only these former ids. */
    legacyAdvisoryIds?: readonly string[] | undefined;
    /** Only artifacts of exactly these names. Ignored if origin is set. */
    artifactNames?: readonly string[] | undefined;
    /** Only artifacts of these sorts. */
    artifactTypes?: readonly string[] | undefined;
    /** Only artifacts built for these, such as `x86_64`. */
    artifactArchitectures?: readonly string[] | undefined;
    /** Only components of exactly these names. */
    componentNames?: readonly string[] | undefined;
    /** Only components from these ecosystems. */
    componentTypes?: readonly string[] | undefined;
    /** Only components with exactly one of these as their componentLocation. */
    componentLocations?: readonly string[] | undefined;
    /** Only vulnerabilities with one of these CVE or GHSA ids. */
    aliases?: readonly string[] | undefined;
    /** Only this package and those built along with it. Takes the place of artifactNames. */
    origin?: string | undefined;
    /** Only advisories with an event in one of these states. */
    eventReviewStates?: readonly ReviewState[] | undefined;
    /** Only advisories with an event by one of these authors. */
    eventAuthors?: readonly string[] | undefined;
    /** Only advisories with no event by any of these authors. */
    excludeEventAuthors?: readonly string[] | undefined;
    /** Only advisories with an event reviewed by one of these. */
    eventReviewers?: readonly string[] | undefined;
    /**
     * Only advisories with an event of one of these types. Number 9, which has a name in version 1
     * only, stands for componentLocationChanged.
     */
    eventTypes?: readonly EventTypeFilter[] | undefined;
    /** Only advisories whose newest approved event is of this type, or 9 as above. */
    latestEventType?: EventTypeFilter | undefined;
    /** Most rows to return: 50 if 0, at most 200 (AIP-158). */
    pageSize?: number | undefined;
    /**
     * The nextPageToken of the page before; empty for the first page. It is good for 3 days, after
     * which the list starts over, and for the same filters and order only, else INVALID_ARGUMENT.
     */
    pageToken?: string | undefined;
    /**
     * A field, and `asc` or `desc` after a space (AIP-132). By default `uid`. INVALID_ARGUMENT for a
     * field that cannot be sorted by.
     */
    orderBy?: string | undefined;
    /** Rows to pass over from where pageToken stands, or from the start. */
    skip?: number | undefined;
    /**
     * Only advisories where artifactName, componentName or an alias contains this, in whatever case.
     */
    query?: string | undefined;
}
/** Which versions to list, and in what order. */
export interface ListArtifactVersionsRequest {
    /** The uid of the library. */
    artifactId: string;
    /** Most rows to return: 50 if 0, at most 200 (AIP-158). */
    pageSize?: number | undefined;
    /**
     * The nextPageToken of the page before; empty for the first page. It is good for 3 days, after
     * which the list starts over, and for the same filters and order only, else INVALID_ARGUMENT.
     */
    pageToken?: string | undefined;
    /** Rows to pass over from where pageToken stands, or from the start. */
    skip?: number | undefined;
    /**
     * A field, and `asc` or `desc` after a space (AIP-132). By default `version desc`, the newest
     * first. INVALID_ARGUMENT for a field that cannot be sorted by.
     */
    orderBy?: string | undefined;
}
/** Which libraries to list, and in what order. */
export interface ListArtifactsRequest {
    /** Libraries of these; at least one. */
    ecosystems: readonly Ecosystem[];
    /** Only libraries whose name contains this. Empty: all. */
    query?: string | undefined;
    /** Only Python libraries built for this version of CUDA. */
    cudaVersion?: string | undefined;
    /** Only libraries with a version in which vulnerabilities were remedied. */
    remediated?: boolean | undefined;
    /** Most rows to return: 50 if 0, at most 200 (AIP-158). */
    pageSize?: number | undefined;
    /**
     * The nextPageToken of the page before; empty for the first page. It is good for 3 days, after
     * which the list starts over, and for the same filters and order only, else INVALID_ARGUMENT.
     */
    pageToken?: string | undefined;
    /** Rows to pass over from where pageToken stands, or from the start. */
    skip?: number | undefined;
    /**
     * A field, and `asc` or `desc` after a space (AIP-132). By default `name`. INVALID_ARGUMENT for a
     * field that cannot be sorted by.
     */
    orderBy?: string | undefined;
}
/** Which documents to list, and in what order. */
export interface ListDocumentsRequest {
    /** Only the document of the origin package of this name. */
    id?: string | undefined;
    /** Only documents with an advisory that has one of these aliases; CVE and GHSA ids. */
    cves?: readonly string[] | undefined;
    /**
     * Most documents to return, at most 200 (AIP-158). A request without pageSize, pageToken and skip
     * gets all documents, or RESOURCE_EXHAUSTED if there are more than 1,000, or more than 3,000
     * advisories or 4 MiB in them; with another of the two, 50.
     */
    pageSize?: number | undefined;
    /**
     * The nextPageToken of the page before; empty for the first page. It is good for 3 days, after
     * which the list starts over, and for the same filters and order only, else INVALID_ARGUMENT.
     */
    pageToken?: string | undefined;
    /**
     * A field, and `asc` or `desc` after a space (AIP-132). By default `id`. INVALID_ARGUMENT for a
     * field that cannot be sorted by.
     */
    orderBy?: string | undefined;
    /** Rows to pass over from where pageToken stands, or from the start. */
    skip?: number | undefined;
}
/** Which mappings to list, and in what order. */
export interface ListExternalGroupRoleMappingsRequest {
    /** Rows on the way up from this uid to its root, without the uid itself. */
    ancestorsOf?: string | undefined;
    /** Rows at any depth below this uid, without the uid itself. */
    descendantsOf?: string | undefined;
    /** Rows directly below this uid: the repos of a group, the tags of a repo. */
    childrenOf?: string | undefined;
    /** Only rows that have no parent: organizations, built-in roles, identities of people. */
    inRoot?: boolean | undefined;
    /**
     * Only these uids, up to 1000. Repeat the key in a query string, which has no room for more than
     * a few hundred.
     */
    ids?: readonly string[] | undefined;
    /** Only the mappings of this identity provider. */
    identityProviderUid?: string | undefined;
    /** Most rows to return: 50 if 0, at most 200 (AIP-158). */
    pageSize?: number | undefined;
    /**
     * The nextPageToken of the page before; empty for the first page. It is good for 3 days, after
     * which the list starts over, and for the same filters and order only, else INVALID_ARGUMENT.
     */
    pageToken?: string | undefined;
    /**
     * A field, and `asc` or `desc` after a space (AIP-132). By default `uid`. INVALID_ARGUMENT for a
     * field that cannot be sorted by.
     */
    orderBy?: string | undefined;
    /** Rows to pass over from where pageToken stands, or from the start. */
    skip?: number | undefined;
}
/** Which invites to list, and in what order. */
export interface ListGroupInvitesRequest {
    /** Rows on the way up from this uid to its root, without the uid itself. */
    ancestorsOf?: string | undefined;
    /** Rows at any depth below this uid, without the uid itself. */
    descendantsOf?: string | undefined;
    /** Rows directly below this uid: the repos of a group, the tags of a repo. */
    childrenOf?: string | undefined;
    /** Only rows that have no parent: organizations, built-in roles, identities of people. */
    inRoot?: boolean | undefined;
    /**
     * Only these uids, up to 1000. Repeat the key in a query string, which has no room for more than
     * a few hundred.
     */
    ids?: readonly string[] | undefined;
    /** Only the invite of exactly this key id. */
    keyId?: string | undefined;
    /** Most rows to return: 50 if 0, at most 200 (AIP-158). */
    pageSize?: number | undefined;
    /**
     * The nextPageToken of the page before; empty for the first page. It is good for 3 days, after
     * which the list starts over, and for the same filters and order only, else INVALID_ARGUMENT.
     */
    pageToken?: string | undefined;
    /**
     * A field, and `asc` or `desc` after a space (AIP-132). By default `createTime desc`.
     * INVALID_ARGUMENT for a field that cannot be sorted by.
     */
    orderBy?: string | undefined;
    /** Rows to pass over from where pageToken stands, or from the start. */
    skip?: number | undefined;
}
/** Which groups to list, and in what order. */
export interface ListGroupsRequest {
    /** Rows on the way up from this uid to its root, without the uid itself. */
    ancestorsOf?: string | undefined;
    /** Rows at any depth below this uid, without the uid itself. */
    descendantsOf?: string | undefined;
    /** Rows directly below this uid: the repos of a group, the tags of a repo. */
    childrenOf?: string | undefined;
    /** Only rows that have no parent: organizations, built-in roles, identities of people. */
    inRoot?: boolean | undefined;
    /**
     * Only these uids, up to 1000. Repeat the key in a query string, which has no room for more than
     * a few hundred.
     */
    ids?: readonly string[] | undefined;
    /** Only groups of exactly this name. */
    name?: string | undefined;
    /** Most rows to return: 50 if 0, at most 200 (AIP-158). */
    pageSize?: number | undefined;
    /**
     * The nextPageToken of the page before; empty for the first page. It is good for 3 days, after
     * which the list starts over, and for the same filters and order only, else INVALID_ARGUMENT.
     */
    pageToken?: string | undefined;
    /**
     * A field, and `asc` or `desc` after a space (AIP-132). By default `uid`. INVALID_ARGUMENT for a
     * field that cannot be sorted by.
     */
    orderBy?: string | undefined;
    /** Rows to pass over from where pageToken stands, or from the start. */
    skip?: number | undefined;
}
/** Which identities to list, and in what order. */
export interface ListIdentitiesRequest {
    /** Rows on the way up from this uid to its root, without the uid itself. */
    ancestorsOf?: string | undefined;
    /** Rows at any depth below this uid, without the uid itself. */
    descendantsOf?: string | undefined;
    /** Rows directly below this uid: the repos of a group, the tags of a repo. */
    childrenOf?: string | undefined;
    /** Only rows that have no parent: organizations, built-in roles, identities of people. */
    inRoot?: boolean | undefined;
    /**
     * Only these uids, up to 1000. Repeat the key in a query string, which has no room for more than
     * a few hundred.
     */
    ids?: readonly string[] | undefined;
    /** Only identities of exactly this name. */
    name?: string | undefined;
    /** Only identities of this kind. */
    relationshipType?: RelationshipType | undefined;
    /** Most rows to return: 50 if 0, at most 200 (AIP-158). */
    pageSize?: number | undefined;
    /**
     * The nextPageToken of the page before; empty for the first page. It is good for 3 days, after
     * which the list starts over, and for the same filters and order only, else INVALID_ARGUMENT.
     */
    pageToken?: string | undefined;
    /**
     * A field, and `asc` or `desc` after a space (AIP-132). By default `uid`. INVALID_ARGUMENT for a
     * field that cannot be sorted by.
     */
    orderBy?: string | undefined;
    /** Rows to pass over from where pageToken stands, or from the start. */
    skip?: number | undefined;
}
/** Which identity providers to list, and in what order. */
export interface ListIdentityProvidersRequest {
    /** Rows on the way up from this uid to its root, without the uid itself. */
    ancestorsOf?: string | undefined;
    /** Rows at any depth below this uid, without the uid itself. */
    descendantsOf?: string | undefined;
    /** Rows directly below this uid: the repos of a group, the tags of a repo. */
    childrenOf?: string | undefined;
    /** Only rows that have no parent: organizations, built-in roles, identities of people. */
    inRoot?: boolean | undefined;
    /**
     * Only these uids, up to 1000. Repeat the key in a query string, which has no room for more than
     * a few hundred.
     */
    ids?: readonly string[] | undefined;
    /** Only identity providers of exactly this name. */
    name?: string | undefined;
    /** Most rows to return: 50 if 0, at most 200 (AIP-158). */
    pageSize?: number | undefined;
    /**
     * The nextPageToken of the page before; empty for the first page. It is good for 3 days, after
     * which the list starts over, and for the same filters and order only, else INVALID_ARGUMENT.
     */
    pageToken?: string | undefined;
    /**
     * A field, and `asc` or `desc` after a space (AIP-132). By default `uid`. INVALID_ARGUMENT for a
     * field that cannot be sorted by.
     */
    orderBy?: string | undefined;
    /** Rows to pass over from where pageToken stands, or from the start. */
    skip?: number | undefined;
}
/** Which repos to list, and in what order. */
export interface ListReposRequest {
    /** Rows on the way up from this uid to its root, without the uid itself. */
    ancestorsOf?: string | undefined;
    /** Rows at any depth below this uid, without the uid itself. */
    descendantsOf?: string | undefined;
    /** Rows directly below this uid: the repos of a group, the tags of a repo. */
    childrenOf?: string | undefined;
    /** Only rows that have no parent: organizations, built-in roles, identities of people. */
    inRoot?: boolean | undefined;
    /**
     * Only these uids, up to 1000. Repeat the key in a query string, which has no room for more than
     * a few hundred.
     */
    ids?: readonly string[] | undefined;
    /** Only repos of exactly this name. Present and empty, it matches none. */
    name?: string | undefined;
    /** Most rows to return: 50 if 0, at most 200 (AIP-158). */
    pageSize?: number | undefined;
    /**
     * The nextPageToken of the page before; empty for the first page. It is good for 3 days, after
     * which the list starts over, and for the same filters and order only, else INVALID_ARGUMENT.
     */
    pageToken?: string | undefined;
    /**
     * A field, and `asc` or `desc` after a space (AIP-132). By default `uid`. INVALID_ARGUMENT for a
     * field that cannot be sorted by.
     */
    orderBy?: string | undefined;
    /** Rows to pass over from where pageToken stands, or from the start. */
    skip?: number | undefined;
}
/** Images and a span of days. */
export interface ListResolvedVulnsReportsRequest {
    /** The images wanted, 1 to 100. */
    imageRefs: readonly ImageRefInput[];
    /** The first day, included. */
    startTime: string;
    /** The last day, included. INVALID_ARGUMENT if it is before startTime. */
    endTime: string;
    /**
     * Most days to return, at most 200 (AIP-158). A request without pageSize, pageToken and skip gets
     * all days, or RESOURCE_EXHAUSTED if they have more than 20,000 fixes or 16 MiB; with another of
     * the two, 50.
     */
    pageSize?: number | undefined;
    /**
     * The nextPageToken of the page before; empty for the first page. It is good for 3 days, after
     * which the list starts over, and for the same filters and order only, else INVALID_ARGUMENT.
     */
    pageToken?: string | undefined;
    /**
     * A field, and `asc` or `desc` after a space (AIP-132). By default `date`, which is also the only
     * field. INVALID_ARGUMENT for a field that cannot be sorted by.
     */
    orderBy?: string | undefined;
    /** Rows to pass over from where pageToken stands, or from the start. */
    skip?: number | undefined;
}
/** Which role bindings to list, and in what order. */
export interface ListRoleBindingsRequest {
    /** Rows on the way up from this uid to its root, without the uid itself. */
    ancestorsOf?: string | undefined;
    /** Rows at any depth below this uid, without the uid itself. */
    descendantsOf?: string | undefined;
    /** Rows directly below this uid: the repos of a group, the tags of a repo. */
    childrenOf?: string | undefined;
    /** Only rows that have no parent: organizations, built-in roles, identities of people. */
    inRoot?: boolean | undefined;
    /**
     * Only these uids, up to 1000. Repeat the key in a query string, which has no room for more than
     * a few hundred.
     */
    ids?: readonly string[] | undefined;
    /** Only the bindings of this identity. */
    identity?: string | undefined;
    /** Only the bindings on this very group; not those below. */
    group?: string | undefined;
    /** Only the bindings of this role. */
    role?: string | undefined;
    /** Most rows to return: 50 if 0, at most 200 (AIP-158). */
    pageSize?: number | undefined;
    /**
     * The nextPageToken of the page before; empty for the first page. It is good for 3 days, after
     * which the list starts over, and for the same filters and order only, else INVALID_ARGUMENT.
     */
    pageToken?: string | undefined;
    /**
     * A field, and `asc` or `desc` after a space (AIP-132). By default `uid`. INVALID_ARGUMENT for a
     * field that cannot be sorted by.
     */
    orderBy?: string | undefined;
    /** Rows to pass over from where pageToken stands, or from the start. */
    skip?: number | undefined;
}
/** Which roles to list, and in what order. */
export interface ListRolesRequest {
    /** Rows on the way up from this uid to its root, without the uid itself. */
    ancestorsOf?: string | undefined;
    /** Rows at any depth below this uid, without the uid itself. */
    descendantsOf?: string | undefined;
    /** Rows directly below this uid: the repos of a group, the tags of a repo. */
    childrenOf?: string | undefined;
    /** Only rows that have no parent: organizations, built-in roles, identities of people. */
    inRoot?: boolean | undefined;
    /**
     * Only these uids, up to 1000. Repeat the key in a query string, which has no room for more than
     * a few hundred.
     */
    ids?: readonly string[] | undefined;
    /** Only roles of exactly this name. */
    name?: string | undefined;
    /** Most rows to return: 50 if 0, at most 200 (AIP-158). */
    pageSize?: number | undefined;
    /**
     * The nextPageToken of the page before; empty for the first page. It is good for 3 days, after
     * which the list starts over, and for the same filters and order only, else INVALID_ARGUMENT.
     */
    pageToken?: string | undefined;
    /**
     * A field, and `asc` or `desc` after a space (AIP-132). By default `uid`. INVALID_ARGUMENT for a
     * field that cannot be sorted by.
     */
    orderBy?: string | undefined;
    /** Rows to pass over from where pageToken stands, or from the start. */
    skip?: number | undefined;
}
/** Which subscriptions to list, and in what order. */
export interface ListSubscriptionsRequest {
    /** Rows on the way up from this uid to its root, without the uid itself. */
    ancestorsOf?: string | undefined;
    /** Rows at any depth below this uid, without the uid itself. */
    descendantsOf?: string | undefined;
    /** Rows directly below this uid: the repos of a group, the tags of a repo. */
    childrenOf?: string | undefined;
    /** Only rows that have no parent: organizations, built-in roles, identities of people. */
    inRoot?: boolean | undefined;
    /**
     * Only these uids, up to 1000. Repeat the key in a query string, which has no room for more than
     * a few hundred.
     */
    ids?: readonly string[] | undefined;
    /** Most rows to return: 50 if 0, at most 200 (AIP-158). */
    pageSize?: number | undefined;
    /**
     * The nextPageToken of the page before; empty for the first page. It is good for 3 days, after
     * which the list starts over, and for the same filters and order only, else INVALID_ARGUMENT.
     */
    pageToken?: string | undefined;
    /**
     * A field, and `asc` or `desc` after a space (AIP-132). By default `uid`. INVALID_ARGUMENT for a
     * field that cannot be sorted by.
     */
    orderBy?: string | undefined;
    /** Rows to pass over from where pageToken stands, or from the start. */
    skip?: number | undefined;
}
/** Which tags to list, and in what order. */
export interface ListTagsRequest {
    /** Rows on the way up from this uid to its root, without the uid itself. */
    ancestorsOf?: string | undefined;
    /** Rows at any depth below this uid, without the uid itself. */
    descendantsOf?: string | undefined;
    /** Rows directly below this uid: the repos of a group, the tags of a repo. */
    childrenOf?: string | undefined;
    /** Only rows that have no parent: organizations, built-in roles, identities of people. */
    inRoot?: boolean | undefined;
    /**
     * Only these uids, up to 1000. Repeat the key in a query string, which has no room for more than
     * a few hundred.
     */
    ids?: readonly string[] | undefined;
    /** Only tags of exactly this name. */
    name?: string | undefined;
    /** Only tags that changed after this time. */
    updatedSince?: string | undefined;
    /** Tags `sha256-*` as well, by which signatures and attestations are attached. */
    includeReferrers?: boolean | undefined;
    /** Tags that end in a date, `-20yymmdd`, as well. */
    includeDates?: boolean | undefined;
    /** Tags that end in a package epoch, `-r` and a number, as well. */
    includeEpochs?: boolean | undefined;
    /** Only tags that name this digest now. */
    digest?: string | undefined;
    /** Most rows to return: 50 if 0, at most 200 (AIP-158). */
    pageSize?: number | undefined;
    /**
     * The nextPageToken of the page before; empty for the first page. It is good for 3 days, after
     * which the list starts over, and for the same filters and order only, else INVALID_ARGUMENT.
     */
    pageToken?: string | undefined;
    /**
     * A field, and `asc` or `desc` after a space (AIP-132). By default `uid`. INVALID_ARGUMENT for a
     * field that cannot be sorted by.
     */
    orderBy?: string | undefined;
    /** Rows to pass over from where pageToken stands, or from the start. */
    skip?: number | undefined;
}
/** Which acceptances to list, and in what order. */
export interface ListTermsAcceptancesRequest {
    /** The organization. What was accepted on a group above it is listed too. */
    group: string;
    /** Most rows to return: 50 if 0, at most 200 (AIP-158). */
    pageSize?: number | undefined;
    /**
     * The nextPageToken of the page before; empty for the first page. It is good for 3 days, after
     * which the list starts over, and for the same filters and order only, else INVALID_ARGUMENT.
     */
    pageToken?: string | undefined;
    /**
     * A field, and `asc` or `desc` after a space (AIP-132). By default `uid`. INVALID_ARGUMENT for a
     * field that cannot be sorted by.
     */
    orderBy?: string | undefined;
    /** Rows to pass over from where pageToken stands, or from the start. */
    skip?: number | undefined;
}
/** Which vulnerabilities to list, and in what order. */
export interface ListVulnerabilityMetadataRequest {
    /** Only this vulnerability: a CVE or GHSA id. */
    id?: string | undefined;
    /** Only these vulnerabilities, up to 1000, none twice. */
    ids?: readonly string[] | undefined;
    /** Most rows to return: 50 if 0, at most 200 (AIP-158). */
    pageSize?: number | undefined;
    /**
     * The nextPageToken of the page before; empty for the first page. It is good for 3 days, after
     * which the list starts over, and for the same filters and order only, else INVALID_ARGUMENT.
     */
    pageToken?: string | undefined;
    /**
     * A field, and `asc` or `desc` after a space (AIP-132). By default `id`. INVALID_ARGUMENT for a
     * field that cannot be sorted by.
     */
    orderBy?: string | undefined;
    /** Rows to pass over from where pageToken stands, or from the start. */
    skip?: number | undefined;
}
/** Nothing to say: the e-mail address comes from the caller's token. */
export type LookupGroupRequest = Record<string, never>;
/** The caller's organization. */
export interface LookupGroupResponse {
    /** The verified organization named like the domain of the caller's e-mail address. */
    group?: Group;
}
/** A person, as their identity provider knows them. */
export interface LookupIdentityRequest {
    /** The `iss` claim, as an identity's `claimMatch` may have it. */
    issuer: string;
    /** The `sub` claim. */
    subject: string;
}
/** Where the person is found, now or later. */
export interface LookupIdentityResponse {
    /** The uid of the identity, which need not exist yet. */
    uid?: string;
}
/** A manifest as the OCI image specification defines it. */
export interface Manifest {
    /** The uid of the repo, a slash and the first 16 hexadecimal digits of the digest. */
    uid: string;
    /** SHA-256 of the content: `sha256:` and 64 hexadecimal digits. */
    digest?: string;
    /** Type of the content, such as `application/vnd.oci.image.index.v1+json`. */
    mediaType: string;
    /**
     * The architectures that an index names, in its order. Of a manifest the one that its
     * configuration states, if that is stored. `arm64/v8` is told as `arm64`.
     */
    architectures?: string[];
    /** Bytes of the layers and the config that the content names; 0 for an index. */
    size: string;
    /** When these bytes came in for the first time. */
    createTime: string;
    /** The same as createTime, or when the configuration was added: a manifest never changes. */
    updateTime: string;
}
/** A manifest as the OCI image specification defines it. */
export interface ManifestInput {
    /** Type of the content, such as `application/vnd.oci.image.index.v1+json`. */
    mediaType: string;
    /**
     * The JSON, byte for byte, since the digest is of these bytes. The whole request has at most 1.5
     * MiB: over REST, in base64, that is a little more than 1 MiB of content. Never returned.
     */
    content: string;
    /**
     * The image configuration that the manifest names as its config, byte for byte: JSON of media
     * type `application/vnd.oci.image.config.v1+json` or Docker's own. What is kept of it is how a
     * container is run, and the architecture. May be left out. Never returned.
     */
    config?: string | undefined;
}
/** What sort of customer an organization is. */
export type OrgKind = 
/** Not stated. */
"ORG_KIND_UNSPECIFIED"
/** Uses the free catalog. */
 | "ORG_KIND_STARTER"
/** Pays. */
 | "ORG_KIND_CUSTOMER"
/** A developer's own. */
 | "ORG_KIND_DEV"
/** Belongs to infrastructure and automation, not to people. */
 | "ORG_KIND_INFRA"
/** Came through the AWS Marketplace. May later become a CUSTOMER. */
 | "ORG_KIND_AWS_MARKETPLACE";
/** How far an organization is set up. */
export type OrgStatus = 
/** Not known. */
"ORG_STATUS_UNSPECIFIED"
/** Still being set up. */
 | "ORG_STATUS_INITIALIZING"
/** In use. */
 | "ORG_STATUS_READY"
/** Its members are locked out. */
 | "ORG_STATUS_SUSPENDED";
/** Others have to fix it first. */
export interface PendingUpstreamFix {
    /** What is awaited. */
    note?: string;
}
/** Nothing to say. */
export type PingRequest = Record<string, never>;
/** The answer to a ping. */
export interface PingResponse {
    /** A fixed text. Only its arrival means something. */
    response?: string;
}
/** Which advisories to delete. */
export interface PurgeAdvisoriesRequest {
    /** The group that holds the advisories. */
    parent: string;
    /**
     * Only what this source brought. An advisory that somebody has written to by hand, too, loses the
     * events of the source and stays. A document stays while it has advisories; metadata of a
     * vulnerability while an advisory of the group names it, with what the sources say together.
     */
    source?: AdvisorySource | undefined;
    /** Deletes. Without it the answer only says what there is. */
    force?: boolean | undefined;
}
/** What a step has deleted or, without `force`, what there is to delete. */
export interface PurgeAdvisoriesResponse {
    /**
     * Advisories. Of one source, those by hand among them, and without `force` no more than 10,000
     * are counted.
     */
    advisories: number;
    /**
     * Advisories that were written to by hand, too: they have lost the events of the source, and
     * stay. Not counted without `force`.
     */
    reducedAdvisories: number;
    /**
     * Documents, which have the advisories of one origin package each. Of one source not counted
     * without `force`.
     */
    documents: number;
    /** Libraries. One with more versions than a step takes is deleted by a later step. */
    artifacts: number;
    /** Metadata of vulnerabilities. Of one source not counted without `force`. */
    vulnerabilityMetadata: number;
    /** Something is left: call again. */
    more: boolean;
}
/** A place to read more. */
export interface Reference {
    /** What is found there. */
    type?: ReferenceType;
    /** The address. */
    url?: string;
}
/** What a reference leads to, in the terms of the OSV schema. */
export type ReferenceType = 
/** Not told. */
"TYPE_UNSPECIFIED"
/** An advisory on the vulnerability. */
 | "TYPE_ADVISORY"
/** An article or a post. */
 | "TYPE_ARTICLE"
/** A way to detect it. */
 | "TYPE_DETECTION"
/** A discussion about it. */
 | "TYPE_DISCUSSION"
/** A report of it, in a tracker. */
 | "TYPE_REPORT"
/** A change that fixes it. */
 | "TYPE_FIX"
/** The change that brought it in. */
 | "TYPE_INTRODUCED"
/** The page of the package. */
 | "TYPE_PACKAGE"
/** Proof that it exists. */
 | "TYPE_EVIDENCE"
/** Any other page. */
 | "TYPE_WEB";
/** How long the new token lives, and how long the old one. */
export interface RegenerateScimTokenRequest {
    /** The identity provider that is provisioned. */
    identityProviderUid: string;
    /**
     * How long a live old token goes on working: up to 24 hours, 1 hour by default, 0 for not at all.
     */
    overlap?: string | undefined;
    /**
     * When the new token is to stop working: at most 2 years from now, 1 year by default.
     * INVALID_ARGUMENT together with neverExpires.
     */
    expireTime?: string | undefined;
    /** The version last read. INVALID_ARGUMENT if empty, ABORTED if another one is current. */
    etag: string;
    /** The new token works until it is revoked. */
    neverExpires?: boolean | undefined;
}
/** The new token, and the end of the old one. */
export interface RegenerateScimTokenResponse {
    /** The bearer token of the provisioning client. Shown this once. */
    token?: string;
    /** The base URL for the provisioning client; the same as before. */
    endpointUrl?: string;
    /** When the new token stops working. Unset if it never does. */
    expireTime?: string;
    /** The identity provider, as in the request. */
    identityProviderUid?: string;
    /** The version of the configuration now. */
    etag?: string;
    /** When the old token stops working. Unset if it was dead already. */
    previousTokenExpireTime?: string;
    /** The overlap that was applied, after the default: for the records. */
    requestedOverlap?: string;
}
/** The kinds of relationship, to filter identities by. */
export type RelationshipType = 
/** All kinds. */
"RELATIONSHIP_TYPE_UNSPECIFIED"
/** Identities with claimMatch. */
 | "RELATIONSHIP_TYPE_CLAIM_MATCH"
/** Identities with staticKeys. */
 | "RELATIONSHIP_TYPE_STATIC"
/** Identities with awsIdentity. */
 | "RELATIONSHIP_TYPE_AWS_IDENTITY"
/** Identities with servicePrincipal. */
 | "RELATIONSHIP_TYPE_SERVICE_PRINCIPAL";
/** A place for the tags of one image. */
export interface Repo {
    /** The uid of the group and one step more. */
    uid: string;
    /**
     * The path of the image below its organization: lower-case words, parted by dots, dashes,
     * underscores or slashes; at most 255 characters.
     */
    name: string;
    /**
     * Free text on one line, at most 512 characters. A synced repo has that of its source until it
     * gets its own.
     */
    description?: string;
    /** The part of the catalog that the image is sold in. A synced repo has that of its source. */
    catalogTier?: CatalogTier;
    /**
     * Labels for sales: application, base, byol, ai, ai-gpu, featured, fips, commercial and
     * emeritoss. A synced repo has those of its source.
     */
    bundles?: string[];
    /**
     * References of images, with tags, that this one can replace. A synced repo has those of its
     * source.
     */
    aliases?: string[];
    /** The tags that are still maintained. A synced repo has those of its source. */
    activeTags?: string[];
    /**
     * Where the repo gets its images from, and to where else they go. Absent if they are pushed to
     * it. The JSON key is `sync_config`, in and out.
     */
    sync_config?: SyncConfig;
    /** What is added to the images of the source. For organizations with custom assembly only. */
    customOverlay?: CustomOverlay;
    /** When it was created. */
    createTime: string;
    /** When it last changed; at first, when it was created. */
    updateTime: string;
}
/** A place for the tags of one image. */
export interface RepoInput {
    /**
     * The path of the image below its organization: lower-case words, parted by dots, dashes,
     * underscores or slashes; at most 255 characters.
     */
    name: string;
    /**
     * Free text on one line, at most 512 characters. A synced repo has that of its source until it
     * gets its own.
     */
    description?: string | undefined;
    /** The part of the catalog that the image is sold in. A synced repo has that of its source. */
    catalogTier?: CatalogTier | undefined;
    /**
     * Labels for sales: application, base, byol, ai, ai-gpu, featured, fips, commercial and
     * emeritoss. A synced repo has those of its source.
     */
    bundles?: readonly string[] | undefined;
    /**
     * References of images, with tags, that this one can replace. A synced repo has those of its
     * source.
     */
    aliases?: readonly string[] | undefined;
    /** The tags that are still maintained. A synced repo has those of its source. */
    activeTags?: readonly string[] | undefined;
    /**
     * Where the repo gets its images from, and to where else they go. Absent if they are pushed to
     * it. The JSON key is `sync_config`, in and out.
     */
    sync_config?: SyncConfigInput | undefined;
    /** What is added to the images of the source. For organizations with custom assembly only. */
    customOverlay?: CustomOverlayInput | undefined;
}
/** The readme of a repo; there is one for each repo, which exists with it. */
export interface RepoReadme {
    /** The uid of the repo. */
    uid: string;
    /**
     * Markdown, at most 524288 bytes and 20000 lines. INVALID_ARGUMENT if it makes HTML that is not
     * safe to show, nests more than 32 deep, or takes too long to render. A synced repo shows that of
     * its source.
     */
    content?: string;
    /** When the repo was made. */
    createTime: string;
    /** When the content last changed; at first, when the repo was made. */
    updateTime: string;
}
/** The readme of a repo; there is one for each repo, which exists with it. */
export interface RepoReadmeInput {
    /**
     * Markdown, at most 524288 bytes and 20000 lines. INVALID_ARGUMENT if it makes HTML that is not
     * safe to show, nests more than 32 deep, or takes too long to render. A synced repo shows that of
     * its source.
     */
    content?: string | undefined;
}
/** Names the organization that the caller wants into. */
export interface RequestGroupAccessRequest {
    /** The uid that LookupGroup answered. It is checked again on every call. */
    groupUid: string;
}
/** Nothing: the owners decide later. */
export type RequestGroupAccessResponse = Record<string, never>;
/** A vulnerability that an image no longer has. */
export interface ResolvedVuln {
    /** The public id of the advisory. */
    id?: string;
    /** Ids of the vulnerability elsewhere, CVE and GHSA. */
    aliases?: string[];
    /** How bad it was, by the OSV data. */
    cvssSeverities?: AdvisorySeverity[];
}
/** What went away on one day. */
export interface ResolvedVulnsReport {
    /** The day: its midnight in UTC. */
    date?: string;
    /** The vulnerabilities that went away, each once. */
    resolvedVulns?: ResolvedVuln[];
}
/** Where the review of an event stands. */
export type ReviewState = 
/** Never valid on an event. */
"REVIEW_STATE_UNSPECIFIED"
/** Waits for a reviewer. */
 | "REVIEW_STATE_PENDING"
/** Approved; nothing changes any more. */
 | "REVIEW_STATE_APPROVED"
/** The reviewer wants it edited. */
 | "REVIEW_STATE_REQUEST_CHANGES"
/** Rejected; nothing changes any more. */
 | "REVIEW_STATE_REJECTED";
/** Names the identity provider whose token has to go. */
export interface RevokeScimTokenRequest {
    /** The identity provider that is provisioned. */
    identityProviderUid: string;
}
/** What is left. */
export interface RevokeScimTokenResponse {
    /** The identity provider, as in the request. */
    identityProviderUid?: string;
    /** The version of the configuration now. */
    etag?: string;
    /** Whether SCIM is switched on, as before. */
    enabled: boolean;
    /** Since when no token works. */
    revokeTime?: string;
}
/** A named set of capabilities. */
export interface Role {
    /** The uid of the group and one step more; 40 hexadecimal digits for a built-in role. */
    uid: string;
    /**
     * Lower-case letters, digits, space, dot, underscore and dash, at most 255 characters. Built-in
     * ones are such as `viewer` and `owner`.
     */
    name: string;
    /** Free text on one line, at most 512 characters. */
    description?: string;
    /**
     * What the role allows, by the names of the enum in JSON. At least one on create; left out of an
     * update, they stay. Returned by number and without repeats.
     */
    capabilities?: Capability[];
    /** When it was created. */
    createTime: string;
    /** When it last changed; at first, when it was created. */
    updateTime: string;
}
/** A role, bound to an identity on a group. */
export interface RoleBinding {
    /** The uid of the group and one step more. */
    uid: string;
    /** Who has the role. */
    identity?: RoleBindingIdentity;
    /** Where the role holds: the parent of uid. */
    group?: RoleBindingGroup;
    /** What is held. */
    role?: RoleBindingRole;
    /** When it was created. */
    createTime: string;
    /**
     * Who is to have the role: a person, or an identity of the group or of one above it. Needed on
     * create; not returned, see identity.
     */
    identityUid?: string;
    /** The role to bind. Needed on create; not returned, see role. */
    roleUid?: string;
    /** When it last changed; at first, when it was created. */
    updateTime: string;
    /**
     * True while the binding waits for a person from outside of the organization to accept it, and
     * absent afterwards. A pending binding grants nothing, and its identity shows only the uid.
     */
    pending?: boolean;
}
/** The group of a binding, for display. */
export interface RoleBindingGroup {
    /** The uid of the group. */
    uid?: string;
    /** Its name. */
    name?: string;
    /** Its description. */
    description?: string;
}
/** The identity of a binding, for display. */
export interface RoleBindingIdentity {
    /** The uid of the identity. */
    uid?: string;
    /** Its name. */
    name?: string;
    /** Its description. */
    description?: string;
    /** The exact subject of its claim match, if it has one. */
    subject?: string;
    /** The exact issuer of its claim match, if it has one. */
    issuer?: string;
    /** Its e-mail address, if verified. */
    email?: string;
}
/** A role, bound to an identity on a group. */
export interface RoleBindingInput {
    /**
     * Who is to have the role: a person, or an identity of the group or of one above it. Needed on
     * create; not returned, see identity.
     */
    identityUid?: string | undefined;
    /** The role to bind. Needed on create; not returned, see role. */
    roleUid?: string | undefined;
}
/** The role of a binding, for display. */
export interface RoleBindingRole {
    /** The uid of the role. */
    uid?: string;
    /** Its name. */
    name?: string;
    /** Its description. */
    description?: string;
}
/** A named set of capabilities. */
export interface RoleInput {
    /**
     * Lower-case letters, digits, space, dot, underscore and dash, at most 255 characters. Built-in
     * ones are such as `viewer` and `owner`.
     */
    name: string;
    /** Free text on one line, at most 512 characters. */
    description?: string | undefined;
    /**
     * What the role allows, by the names of the enum in JSON. At least one on create; left out of an
     * update, they stay. Returned by number and without repeats.
     */
    capabilities?: readonly Capability[] | undefined;
}
/** What an image is made of, as a tool has found it. An image has one SBOM at most. */
export interface Sbom {
    /** The uid of the repo, a slash and 16 hexadecimal digits. */
    uid: string;
    /**
     * The digest of the image that the SBOM is about: `sha256:` and 64 hexadecimal digits. Its
     * manifest need not be stored.
     */
    digest: string;
    /** The format, told by the content. */
    format?: SbomFormat;
    /** The version of the format, such as `2.3` of SPDX or `1.6` of CycloneDX. */
    specVersion?: string;
    /** What the document calls itself, or what it is about. Empty if it does not say. */
    name?: string;
    /** How many packages the document lists, files not counted. */
    packageCount: number;
    /** Bytes of the JSON, unpacked. */
    size: string;
    /** SHA-256 of the JSON, unpacked: `sha256:` and 64 hexadecimal digits. */
    contentDigest?: string;
    /** When the first SBOM of the image came in. */
    createTime: string;
    /** When these bytes came in. */
    updateTime: string;
}
/** Format of an SBOM. */
export type SbomFormat = 
/** Not told. */
"SBOM_FORMAT_UNSPECIFIED"
/** SPDX 2 (ISO/IEC 5962), as JSON. */
 | "SBOM_FORMAT_SPDX"
/** CycloneDX (ECMA-424), as JSON. */
 | "SBOM_FORMAT_CYCLONEDX";
/** What an image is made of, as a tool has found it. An image has one SBOM at most. */
export interface SbomInput {
    /**
     * The digest of the image that the SBOM is about: `sha256:` and 64 hexadecimal digits. Its
     * manifest need not be stored.
     */
    digest: string;
    /**
     * The JSON, as it is or as gzip (RFC 1952), which its first two bytes tell. Unpacked at most 8
     * MiB; as sent at most 1 MiB, which gzip makes of SBOMs of many MB. A component whose SPDXID or
     * bom-ref is there twice counts as it stands first. Never returned.
     */
    content: string;
}
/** The services of the operator that may assume an identity. */
export type ServicePrincipal = 
/** None: INVALID_ARGUMENT. */
"SERVICE_PRINCIPAL_UNSPECIFIED"
/** Checks signatures when images are admitted to a cluster. */
 | "SERVICE_PRINCIPAL_COSIGNED"
/** Takes in data about images. */
 | "SERVICE_PRINCIPAL_INGESTER"
/** Copies images of the catalog into the repos that are synced from it. */
 | "SERVICE_PRINCIPAL_CATALOG_SYNCER"
/** Builds images from packages. */
 | "SERVICE_PRINCIPAL_APKO_BUILDER"
/** Brings repos in line with what the organization is entitled to. */
 | "SERVICE_PRINCIPAL_ENTITLEMENT_SYNCER"
/** Scans the images of a customer. */
 | "SERVICE_PRINCIPAL_TENANT_SCANNER"
/** The service `sedimentology`. */
 | "SERVICE_PRINCIPAL_SEDIMENTOLOGY"
/** The service `skillup`. */
 | "SERVICE_PRINCIPAL_SKILLUP"
/** The service `materializer`. */
 | "SERVICE_PRINCIPAL_MATERIALIZER"
/** The service `microflow`. */
 | "SERVICE_PRINCIPAL_MICROFLOW"
/** The service `guardener`. */
 | "SERVICE_PRINCIPAL_GUARDENER"
/** The service `microvm`. */
 | "SERVICE_PRINCIPAL_MICROVM"
/** The registry of skills. */
 | "SERVICE_PRINCIPAL_SKILLS";
/** The state wanted. */
export interface SetScimEnabledRequest {
    /** The identity provider concerned. */
    identityProviderUid: string;
    /** True switches SCIM on. */
    enabled: boolean;
    /** The version last read. INVALID_ARGUMENT if empty, ABORTED if another one is current. */
    etag: string;
}
/** The state reached. */
export interface SetScimEnabledResponse {
    /** The identity provider, as in the request. */
    identityProviderUid?: string;
    /** Whether SCIM is switched on. */
    enabled: boolean;
    /** The version of the configuration now. */
    etag?: string;
}
/** The size of an image. */
export interface Size {
    /** Bytes to pull: all layers and the config, compressed as they are stored. */
    size: string;
    /** What was measured. */
    architecture?: string;
}
/**
 * A URL that gets the customer events of a group tree: one POST for each event, in binary content
 * mode, with a token whose subject is `webhook:` and the uid of the group.
 */
export interface Subscription {
    /** The uid of the group and one step more. */
    uid: string;
    /**
     * Where to deliver: an absolute https URL of at most 2048 characters, at port 443 or 8443 of a
     * host whose every address is public, without user, password and fragment. Kept as it is sent. A
     * platform on a loopback address takes http and https at loopback addresses too.
     */
    sink?: string;
    /** When it was created. */
    createTime: string;
    /** When it last changed; at first, when it was created. */
    updateTime: string;
}
/**
 * A URL that gets the customer events of a group tree: one POST for each event, in binary content
 * mode, with a token whose subject is `webhook:` and the uid of the group.
 */
export interface SubscriptionInput {
    /**
     * Where to deliver: an absolute https URL of at most 2048 characters, at port 443 or 8443 of a
     * host whose every address is public, without user, password and fragment. Kept as it is sent. A
     * platform on a loopback address takes http and https at loopback addresses too.
     */
    sink: string;
}
/** How a repo is kept in step with another. */
export interface SyncConfig {
    /**
     * The repo to copy from: its uid, or the name of its organization, if that is verified, a slash
     * and its name, with or without the registry's host before it. Returned as uid. The organization
     * must be entitled to it or the caller allowed to pull it, else PERMISSION_DENIED.
     */
    source: string;
    /** Each build gets a tag of its own as well. Follows from the settings of the organization. */
    uniqueTags: boolean;
    /** When syncing ends: 14 days after the source was set, or what version 1 set. */
    expirationTime?: string;
    /** A Google Artifact Registry repository to copy to as well. */
    google?: string;
    /** An Amazon ECR repository to copy to as well. */
    amazon?: string;
    /** An Azure Container Registry repository to copy to as well. */
    azure?: string;
    /** A build configuration merged over that of the source. Set by the operator. */
    apkoOverlay?: string;
    /**
     * Tags that are no longer maintained stay for a while. Follows from the settings of the
     * organization.
     */
    gracePeriod: boolean;
}
/** How a repo is kept in step with another. */
export interface SyncConfigInput {
    /**
     * The repo to copy from: its uid, or the name of its organization, if that is verified, a slash
     * and its name, with or without the registry's host before it. Returned as uid. The organization
     * must be entitled to it or the caller allowed to pull it, else PERMISSION_DENIED.
     */
    source: string;
    /** A Google Artifact Registry repository to copy to as well. */
    google?: string | undefined;
    /** An Amazon ECR repository to copy to as well. */
    amazon?: string | undefined;
    /** An Azure Container Registry repository to copy to as well. */
    azure?: string | undefined;
}
/** A name for an image in a repo. */
export interface Tag {
    /** The uid of the repo and one step more. */
    uid: string;
    /**
     * The tag: letters, digits, dot, underscore and dash, at most 128 characters, with no leading dot
     * or dash.
     */
    name: string;
    /**
     * The image that it names now: `sha256:` and 64 hexadecimal digits. Absent in answers while the
     * tag points nowhere, as one may that version 1 made.
     */
    digest?: string;
    /** When it last changed: moved, or had its other fields set. */
    updateTime: string;
    /** The tag is at the end of its life: it moves no more. There is no filter by it. */
    deprecated: boolean;
    /** Labels for sales, as on a repo. */
    bundles?: string[];
    /** When it was created. */
    createTime: string;
}
/** A name for an image in a repo. */
export interface TagInput {
    /**
     * The tag: letters, digits, dot, underscore and dash, at most 128 characters, with no leading dot
     * or dash.
     */
    name: string;
    /**
     * The image that it names now: `sha256:` and 64 hexadecimal digits. Absent in answers while the
     * tag points nowhere, as one may that version 1 made.
     */
    digest: string;
    /** The tag is at the end of its life: it moves no more. There is no filter by it. */
    deprecated?: boolean | undefined;
    /** Labels for sales, as on a repo. */
    bundles?: readonly string[] | undefined;
}
/** A tag came to name a digest. */
export interface TagMoveInput {
    /** When it happened. Not in the future. */
    updateTime: string;
    /** Name of the repo in the group. */
    repo: string;
    /** Name of the tag in the repo. */
    tag: string;
    /** What the tag named from then on: `sha256:` and 64 hexadecimal digits. */
    digest: string;
}
/** One document, accepted by one organization. */
export interface TermsAcceptance {
    /** The document and its version, such as `skills-tos.v1`. */
    docId?: string;
    /** The uid of the identity that accepted it. */
    acceptedBy?: string;
    /** The organization that it was accepted for. */
    orgUid?: string;
    /** When it was accepted for the first time. */
    createTime: string;
    /** The uid of the organization and one step more. */
    uid: string;
    /** When it last changed; at first, when it was created. */
    updateTime: string;
}
/** It does apply. */
export interface TruePositiveDetermination {
    /** The reasoning in words. */
    note?: string;
}
/**
 * The caller's own metadata. Over REST the mask is part of the body here, where `*` cannot be
 * written.
 */
export interface UpdateIdentityMetadataRequest {
    /** The new values. */
    identityMetadata: IdentityMetadataInput;
    /**
     * The fields to change; `*`, over gRPC only, for all. Without it, those that are not at their
     * default.
     */
    updateMask?: string | undefined;
}
/** The changes to a readme (AIP-134). */
export interface UpdateRepoReadmeRequest {
    /** The new content; uid says of which repo. */
    repoReadme: RepoReadmeInput & {
        uid: string;
    };
    /**
     * The fields to change; `*` for all. Without it, those that the body has over REST, and those
     * that are not at their default over gRPC.
     */
    updateMask?: string | undefined;
}
/** What one scan of an image came to. */
export interface VulnReport {
    /**
     * The uid of the repo, a slash and 16 hexadecimal digits that follow from the digest, the content
     * and the scanTime that were sent.
     */
    uid: string;
    /**
     * The image or image index that was scanned: `sha256:` and 64 hexadecimal digits. Where the
     * content names digests (`source.target.manifestDigest`, `source.target.repoDigests`), it has to
     * be among them. Its manifest need not be stored.
     */
    digest: string;
    /**
     * When the image was scanned, to the millisecond and not in the future. Only needed where the
     * content tells no `descriptor.timestamp`; where it does, this has to be the same. Without either
     * it is the time of the call.
     */
    scanTime?: string;
    /** Name of the scanner as the content tells it, in lower case: `grype`. */
    scanner?: string;
    /** Version of the scanner. Empty where the content tells none. */
    scannerVersion?: string;
    /** When the scanner's database was built. Absent where the content does not tell. */
    dbBuildTime?: string;
    /** How many vulnerabilities were found, each counted once, however many packages have it. */
    vulnerabilityCount: number;
    /** When the report came in for the first time. */
    createTime: string;
    /** The same as createTime: a report never changes. */
    updateTime: string;
}
/** What one scan of an image came to. */
export interface VulnReportInput {
    /**
     * The image or image index that was scanned: `sha256:` and 64 hexadecimal digits. Where the
     * content names digests (`source.target.manifestDigest`, `source.target.repoDigests`), it has to
     * be among them. Its manifest need not be stored.
     */
    digest: string;
    /**
     * The JSON, as Grype's `-o json` writes it, plain or packed with gzip (RFC 1952), which is told
     * by its first two bytes. At most 1 MiB as it is sent, before any base64, and 8 MiB unpacked,
     * with at most 20000 matches: about 2000 of 4 kB, as Grype writes those of operating system
     * packages. Never returned.
     */
    content: string;
    /**
     * When the image was scanned, to the millisecond and not in the future. Only needed where the
     * content tells no `descriptor.timestamp`; where it does, this has to be the same. Without either
     * it is the time of the call.
     */
    scanTime?: string | undefined;
}
/** One judgement of how bad a vulnerability is. */
export interface VulnerabilitiesSeverity {
    /** How it was judged. */
    type?: VulnerabilitiesSeverityType;
    /** The CVSS vector, or the bare number. */
    score?: string;
}
/** How a severity was judged. */
export type VulnerabilitiesSeverityType = 
/** Not told. */
"TYPE_UNSPECIFIED"
/** By version 2 of the Common Vulnerability Scoring System. */
 | "TYPE_CVSS_V2"
/** By version 3 of the Common Vulnerability Scoring System. */
 | "TYPE_CVSS_V3"
/** By version 4 of the Common Vulnerability Scoring System. */
 | "TYPE_CVSS_V4";
/** What is published about one vulnerability. */
export interface VulnerabilityMetadata {
    /** Its CVE or GHSA id. */
    id?: string;
    /** One line on it. */
    summary?: string;
    /** The whole text, in Markdown. */
    details?: string;
    /** Where to read more. */
    references?: Reference[];
    /** How bad it is. */
    severities?: AdvisorySeverity[];
    /** An id that follows from the CVE or GHSA id. */
    uid?: string;
    /** When it was first taken in. */
    createTime?: string;
    /** When it was last taken in with a change. */
    updateTime?: string;
}
