import type { Listing } from "../listing.ts";
import type { CallOptions, Changes, JsonObject, UpdateOptions } from "../operation.ts";
import type { AcceptGroupInviteRequest, AcceptTermsRequest, AcceptTermsResponse, AccountAssociation, AccountAssociationInput, Advisory, Architectures, Artifact, ArtifactVersion, BatchCreateRoleBindingsRequest, BatchCreateRoleBindingsResponse, BatchDeleteExternalGroupRoleMappingsRequest, BatchDeleteExternalGroupRoleMappingsResponse, CheckAccountAssociationRequest, CheckAccountAssociationResponse, CheckEligibilityRequest, CheckEligibilityResponse, Document, ExportAdvisoryRequest, ExternalGroupRoleMapping, ExternalGroupRoleMappingInput, GenerateScimTokenRequest, GenerateScimTokenResponse, GetArchitecturesRequest, GetArtifactCountRequest, GetArtifactCountResponse, GetRepoReadmeRequest, GetSizeRequest, Group, GroupInput, GroupInvite, GroupInviteInput, Identity, IdentityInput, IdentityMetadata, IdentityProvider, IdentityProviderInput, ImportCsafDocumentsRequest, ImportCsafDocumentsResponse, ImportOpenVexDocumentsRequest, ImportOpenVexDocumentsResponse, ImportOsvRecordsRequest, ImportOsvRecordsResponse, ImportTagMovesRequest, ImportTagMovesResponse, ListAccountAssociationsRequest, ListAdvisoriesRequest, ListArtifactVersionsRequest, ListArtifactsRequest, ListDocumentsRequest, ListExternalGroupRoleMappingsRequest, ListGroupInvitesRequest, ListGroupsRequest, ListIdentitiesRequest, ListIdentityProvidersRequest, ListReposRequest, ListResolvedVulnsReportsRequest, ListRoleBindingsRequest, ListRolesRequest, ListSubscriptionsRequest, ListTagsRequest, ListTermsAcceptancesRequest, ListVulnerabilityMetadataRequest, LookupGroupRequest, LookupGroupResponse, LookupIdentityRequest, LookupIdentityResponse, Manifest, ManifestInput, PingRequest, PingResponse, PurgeAdvisoriesRequest, PurgeAdvisoriesResponse, RegenerateScimTokenRequest, RegenerateScimTokenResponse, Repo, RepoInput, RepoReadme, RequestGroupAccessRequest, RequestGroupAccessResponse, ResolvedVulnsReport, RevokeScimTokenRequest, RevokeScimTokenResponse, Role, RoleBinding, RoleBindingInput, RoleInput, Sbom, SbomInput, SetScimEnabledRequest, SetScimEnabledResponse, Size, Subscription, SubscriptionInput, Tag, TagInput, TermsAcceptance, UpdateIdentityMetadataRequest, UpdateRepoReadmeRequest, VulnReport, VulnReportInput, VulnerabilityMetadata } from "./messages.ts";
/**
 * The public feed of security advisories, by package, and the metadata of vulnerabilities. The
 * first two methods need no token.
 */
export interface SecurityAdvisoryService {
    /**
     * Lists the advisories of packages, one document for each origin package. Public. All documents
     * come at once unless the request names a page; too many of them are RESOURCE_EXHAUSTED.
     */
    listDocuments(request?: ListDocumentsRequest, options?: CallOptions): Listing<Document>;
    /** Lists what is published about vulnerabilities. Public. */
    listVulnerabilityMetadata(request?: ListVulnerabilityMetadataRequest, options?: CallOptions): Listing<VulnerabilityMetadata>;
    /**
     * Tells, day by day, which vulnerabilities went away from images. Only images in the reach of the
     * caller count, who needs all four capabilities. All days come at once unless the request names a
     * page; too many fixes are RESOURCE_EXHAUSTED.
     */
    listResolvedVulnsReports(request: ListResolvedVulnsReportsRequest, options?: CallOptions): Listing<ResolvedVulnsReport>;
}
/**
 * Webhooks: each subscription gets the events of its group and of all groups below it, as
 * CloudEvents over HTTPS. Delivery is not served yet: events wait in the outbox. A subscription is
 * never changed, only deleted and made anew.
 */
export interface SubscriptionsService {
    /** Reads a subscription. The list capability is enough. NOT_FOUND if there is none. */
    get(uid: string, options?: CallOptions): Promise<Subscription>;
    /**
     * Subscribes a URL to the events of a group. Emits an event. INVALID_ARGUMENT if the sink is no
     * https URL of the public internet, ALREADY_EXISTS if the group has it already, UNAVAILABLE if
     * its host cannot be looked up now.
     */
    create(parent: string, subscription: SubscriptionInput, options?: CallOptions): Promise<Subscription>;
    /** Lists the subscriptions of the groups on which the caller holds the list capability. */
    list(request?: ListSubscriptionsRequest, options?: CallOptions): Listing<Subscription>;
    /** Ends a subscription. NOT_FOUND if there is none. Emits an event. */
    delete(uid: string, options?: CallOptions): Promise<void>;
}
/**
 * Links between a group and its accounts at cloud providers, through which the service acts there.
 * A group has at most one, and the uid of the link is that of the group.
 */
export interface AccountAssociationsService {
    /** Reads the links of a group. NOT_FOUND if it has none. */
    get(uid: string, options?: CallOptions): Promise<AccountAssociation>;
    /**
     * Links a group to its accounts. ALREADY_EXISTS if the group has an association, which is then to
     * be updated. Emits an event.
     */
    create(parent: string, accountAssociation: AccountAssociationInput, options?: CallOptions): Promise<AccountAssociation>;
    /**
     * Removes all links of a group. Succeeds as well when there are none. The event that it emits has
     * no body.
     */
    delete(uid: string, options?: CallOptions): Promise<void>;
    /** Lists the associations of the groups on which the caller holds the list capability. */
    list(request?: ListAccountAssociationsRequest, options?: CallOptions): Listing<AccountAssociation>;
    /**
     * Changes the masked links. Clearing one unlinks that provider. NOT_FOUND if the group has no
     * association. Emits an event.
     */
    update(uid: string, changes: Changes<AccountAssociationInput>, options?: UpdateOptions): Promise<AccountAssociation>;
    /**
     * Tries out a link with a real exchange of credentials at the provider. Changes nothing, and thus
     * needs the list capability only and emits no event. A link that does not work is no error: the
     * answer says why.
     */
    checkAccountAssociation(request: CheckAccountAssociationRequest, options?: CallOptions): Promise<CheckAccountAssociationResponse>;
}
/**
 * Rules that give the members of a group at an identity provider a role for the length of a
 * session. What they give never shows up among the role bindings. They are guarded by the
 * capabilities of identity providers, which they belong to.
 */
export interface ExternalGroupRoleMappingsService {
    /** Reads a mapping. NOT_FOUND if there is none. */
    get(uid: string, options?: CallOptions): Promise<ExternalGroupRoleMapping>;
    /**
     * Maps a group at an identity provider to a role. PERMISSION_DENIED if the role holds a
     * capability that the caller does not hold on the scope: nobody grants more than they have.
     * ALREADY_EXISTS if the same group, role and scope are mapped already. Emits an event.
     */
    create(parent: string, externalGroupRoleMapping: ExternalGroupRoleMappingInput, options?: CallOptions): Promise<ExternalGroupRoleMapping>;
    /**
     * Removes a mapping; its members lose the role at their next call. The same group, role and scope
     * may then be mapped again. NOT_FOUND if there is none. Emits an event.
     */
    delete(uid: string, options?: CallOptions): Promise<void>;
    /**
     * Removes several mappings of one identity provider at once. Those that are gone already are
     * passed over, and the answer has only those removed. INVALID_ARGUMENT if one belongs to another
     * provider, and then none is removed. Emits one event for all.
     */
    batchDeleteExternalGroupRoleMappings(request: BatchDeleteExternalGroupRoleMappingsRequest, options?: CallOptions): Promise<BatchDeleteExternalGroupRoleMappingsResponse>;
    /**
     * Lists the mappings of the groups on which the caller holds the list capability of identity
     * providers.
     */
    list(request?: ListExternalGroupRoleMappingsRequest, options?: CallOptions): Listing<ExternalGroupRoleMapping>;
    /**
     * Changes the external group, the role or the scope of a mapping. The rules of creating hold for
     * the result: PERMISSION_DENIED if the role holds more than the caller, ALREADY_EXISTS if another
     * mapping says the same. Emits an event.
     */
    update(uid: string, changes: Changes<ExternalGroupRoleMappingInput>, options?: UpdateOptions): Promise<ExternalGroupRoleMapping>;
}
/**
 * Invitations into a group: whoever holds the code joins the group with the role of the invite. To
 * invite is to promise a role binding, so that capability is needed as well.
 */
export interface GroupInvitesService {
    /**
     * Makes an invite and its code. The code is in this answer only. PERMISSION_DENIED if the role
     * holds a capability that the caller does not hold on the group. Emits an event, which tells no
     * more than uid and expiry.
     */
    create(parent: string, groupInvite: GroupInviteInput, options?: CallOptions): Promise<GroupInvite>;
    /** Reads an invite, without its code. NOT_FOUND if there is none. */
    get(uid: string, options?: CallOptions): Promise<GroupInvite>;
    /**
     * Withdraws an invite: its code works no more. Who has joined already stays. NOT_FOUND if there
     * is none. Emits an event.
     */
    delete(uid: string, options?: CallOptions): Promise<void>;
    /**
     * Lists the invites of the groups on which the caller holds the list capability, without codes.
     */
    list(request?: ListGroupInvitesRequest, options?: CallOptions): Listing<GroupInvite>;
    /**
     * Changes the role, the address, the single use or the life of an invite. The code stays the
     * same. A ttl counts from this call. PERMISSION_DENIED as on create. Emits an event.
     */
    update(uid: string, changes: Changes<GroupInviteInput>, options?: UpdateOptions): Promise<GroupInvite>;
    /**
     * Joins the group of an invite: binds its role to the caller's own identity there and answers
     * that binding. With the uid of a role binding that is pending for the caller in the place of a
     * code, accepts that binding. Any valid token will do that is not narrowed, or only to groups
     * that take this one in. Who has that binding already is answered it, and the invite is not used
     * up. NOT_FOUND for a code that never was, was withdrawn, was used up or has expired, without
     * telling which. PERMISSION_DENIED if the invite is for an e-mail address that the token does not
     * carry as verified, by an issuer that the operator trusts or by an identity provider of the
     * group or above it. FAILED_PRECONDITION if the role was deleted, or if the identity was made
     * under a group and this one lies outside of it. Emits the event of a new role binding.
     */
    acceptGroupInvite(request: AcceptGroupInviteRequest, options?: CallOptions): Promise<RoleBinding>;
}
/**
 * Groups form trees. The root of a tree is an organization; whatever is granted on a group holds
 * for everything below it.
 */
export interface GroupsService {
    /** Reads a group. The list capability is enough. NOT_FOUND if there is none. */
    get(uid: string, options?: CallOptions): Promise<Group>;
    /**
     * Deletes an empty group. FAILED_PRECONDITION with a violation RESOURCE_NOT_EMPTY while
     * subgroups, repos, or any other children are left. Its role bindings go along, and what lets
     * those in who may delete it: their identities and roles in the group, and the identity provider
     * of the caller's login. NOT_FOUND if there is none. Emits an event.
     */
    delete(uid: string, options?: CallOptions): Promise<void>;
    /**
     * Lists the groups on which the caller holds the list capability, directly or through a group
     * above.
     */
    list(request?: ListGroupsRequest, options?: CallOptions): Listing<Group>;
    /**
     * Creates a group below another one, or an organization if no parent is given. The capability is
     * checked on the parent, if there is one. NOT_FOUND if the parent names no group. Emits an event.
     */
    create(parent: string, group: GroupInput, options?: CallOptions): Promise<Group>;
    /**
     * Changes the name, the description, and for operators the verification or the kind of a group.
     * FAILED_PRECONDITION on renaming a verified organization. Emits an event.
     */
    update(uid: string, changes: Changes<GroupInput>, options?: UpdateOptions): Promise<Group>;
    /**
     * Finds the verified organization named like the caller's e-mail domain. Needs a token whose
     * upstream provider verifies e-mail addresses. NOT_FOUND, without telling which, if there is no
     * such organization, the provider is not trusted, or the domain is a public one.
     */
    lookupGroup(request?: LookupGroupRequest, options?: CallOptions): Promise<LookupGroupResponse>;
    /**
     * Asks the owners of the caller's organization to let them in. Answers as soon as the request is
     * on its way: an event to the subscriptions of the organization. NOT_FOUND if the group is not
     * the one that LookupGroup finds; RESOURCE_EXHAUSTED if the same caller asked for the same group
     * in the last 24 hours.
     */
    requestGroupAccess(request: RequestGroupAccessRequest, options?: CallOptions): Promise<RequestGroupAccessResponse>;
    /**
     * Tells whether LookupGroup and RequestGroupAccess are worth calling for the caller's e-mail
     * domain. True is no promise that they succeed.
     */
    checkEligibility(request?: CheckEligibilityRequest, options?: CallOptions): Promise<CheckEligibilityResponse>;
}
/**
 * Who calls: people, each at the root with a uid that follows from issuer and subject, and
 * workloads, each under a group. An identity can do nothing until a role is bound to it.
 */
export interface IdentitiesService {
    /**
     * Creates a workload identity under a group. It reaches only what lies at or below that group:
     * under a subgroup it cannot see the registry of the organization. INVALID_ARGUMENT if the name
     * does not match its pattern. Emits an event.
     */
    create(parent: string, identity: IdentityInput, options?: CallOptions): Promise<Identity>;
    /** Reads an identity. NOT_FOUND if there is none. */
    get(uid: string, options?: CallOptions): Promise<Identity>;
    /**
     * Deletes an identity with its role bindings, so that its tokens reach nothing any more.
     * NOT_FOUND if there is none; FAILED_PRECONDITION LAST_OWNER if it is the last owner of the
     * organization. Emits an event.
     */
    delete(uid: string, options?: CallOptions): Promise<void>;
    /**
     * Changes the name, the description, the company or the relationship of an identity. A
     * relationship of another kind replaces the present one. FAILED_PRECONDITION LAST_OWNER if it is
     * the last owner of the organization and would accept no token any more. Emits an event.
     */
    update(uid: string, changes: Changes<IdentityInput>, options?: UpdateOptions): Promise<Identity>;
    /** Lists the identities of the groups on which the caller holds the list capability. */
    list(request?: ListIdentitiesRequest, options?: CallOptions): Listing<Identity>;
    /**
     * Tells the uid of the person with this issuer and subject. Any valid token will do. Answers even
     * when the person has never signed in: the uid follows from the two, so roles can be bound ahead.
     */
    lookupIdentity(request: LookupIdentityRequest, options?: CallOptions): Promise<LookupIdentityResponse>;
    /**
     * Changes what the caller told about themselves. Any valid token will do that was not narrowed,
     * else PERMISSION_DENIED, and only the caller's own identity is reached. The company becomes that
     * of the identity as well. The event goes to the operator only.
     */
    updateIdentityMetadata(request: UpdateIdentityMetadataRequest, options?: CallOptions): Promise<IdentityMetadata>;
}
/**
 * An organization's own sign-in, by OpenID Connect, and the provisioning of its users, by SCIM (RFC
 * 7644). The secret of a provider is taken and never given back.
 */
export interface IdentityProvidersService {
    /**
     * Lists the identity providers of the groups on which the caller holds the list capability. The
     * state of SCIM credentials is left out; Get has it.
     */
    list(request?: ListIdentityProvidersRequest, options?: CallOptions): Listing<IdentityProvider>;
    /**
     * Reads an identity provider, with the state of its SCIM credential and without its secret.
     * NOT_FOUND if there is none.
     */
    get(uid: string, options?: CallOptions): Promise<IdentityProvider>;
    /**
     * Adds an identity provider to a group. The default role promises role bindings to future users,
     * so that capability is needed as well. INVALID_ARGUMENT if there is neither a client secret nor
     * PKCE; FAILED_PRECONDITION if the discovery document cannot be used; PERMISSION_DENIED to who
     * does not hold all that an owner of the group holds. Emits an event without the secret.
     */
    create(parent: string, identityProvider: IdentityProviderInput, options?: CallOptions): Promise<IdentityProvider>;
    /**
     * Changes an identity provider. Users who have a role already keep it when the default role
     * changes. INVALID_ARGUMENT on another correlation rule; FAILED_PRECONDITION on turning on PKCE
     * where the provider says it has none, and LAST_OWNER on another issuer if the last owner of the
     * organization comes in by this one. Emits an event without the secret.
     */
    update(uid: string, changes: Changes<IdentityProviderInput>, options?: UpdateOptions): Promise<IdentityProvider>;
    /**
     * Deletes an identity provider with its role mappings. Nobody signs in through it any more.
     * NOT_FOUND if there is none; FAILED_PRECONDITION LAST_OWNER if the last owner of the
     * organization comes in by it. Emits an event.
     */
    delete(uid: string, options?: CallOptions): Promise<void>;
    /**
     * Issues the first SCIM token, with SCIM still switched off. The token is in this answer only;
     * just its digest is kept. FAILED_PRECONDITION if a token was issued before, so after a lost
     * answer read the state first. Emits an event without the token.
     */
    generateScimToken(request: GenerateScimTokenRequest, options?: CallOptions): Promise<GenerateScimTokenResponse>;
    /**
     * Replaces the SCIM token, whether it is live, expired or revoked. A live one goes on working for
     * the overlap. NOT_FOUND if none was ever issued; ABORTED if the etag is not the current one,
     * hence do not repeat a call blindly. Emits an event without the token.
     */
    regenerateScimToken(request: RegenerateScimTokenRequest, options?: CallOptions): Promise<RegenerateScimTokenResponse>;
    /**
     * Kills the SCIM token at once, and the previous one if it still works. Takes no etag, for the
     * case that the token has leaked. Whether SCIM is switched on does not change. Emits an event.
     */
    revokeScimToken(request: RevokeScimTokenRequest, options?: CallOptions): Promise<RevokeScimTokenResponse>;
    /**
     * Switches SCIM on or off. Off keeps the token, the users and their bindings. FAILED_PRECONDITION
     * on switching on while the organization has less than two owners of its own, who could still get
     * in; INVALID_ARGUMENT without etag, ABORTED if it is not the current one. Emits an event.
     */
    setScimEnabled(request: SetScimEnabledRequest, options?: CallOptions): Promise<SetScimEnabledResponse>;
}
/**
 * Who has which role where. A binding holds on its group, which is the parent of its uid, and on
 * everything below.
 */
export interface RoleBindingsService {
    /** Reads a role binding. NOT_FOUND if there is none. */
    get(uid: string, options?: CallOptions): Promise<RoleBinding>;
    /**
     * Binds a role to an identity on a group. INVALID_ARGUMENT naming identityUid or roleUid if it is
     * none that the group can bind, as an identity that was made under a group below; NOT_FOUND if
     * the group does not exist; PERMISSION_DENIED if the role holds a capability that the caller does
     * not hold on the group. Takes effect at once, unless it names a person from outside of the
     * organization: then it is pending until they accept it, by a login at an identity provider of
     * the organization or by AcceptGroupInvite with the binding's uid. RESOURCE_EXHAUSTED if the
     * person has 200 bindings in the organization. Emits an event.
     */
    create(parent: string, roleBinding: RoleBindingInput, options?: CallOptions): Promise<RoleBinding>;
    /**
     * Takes a role away again. Succeeds as well when the binding is gone. FAILED_PRECONDITION
     * LAST_OWNER if the organization would have no owner left. Emits an event.
     */
    delete(uid: string, options?: CallOptions): Promise<void>;
    /** Lists the role bindings of the groups on which the caller holds the list capability. */
    list(request?: ListRoleBindingsRequest, options?: CallOptions): Listing<RoleBinding>;
    /**
     * Binds up to 25 roles on one group: all of them or none. The answer is in the order of the
     * requests. Fails as CreateRoleBinding does. Emits one event for all.
     */
    batchCreateRoleBindings(request: BatchCreateRoleBindingsRequest, options?: CallOptions): Promise<BatchCreateRoleBindingsResponse>;
    /**
     * Changes the identity or the role of a binding; its group cannot change. Fails as
     * CreateRoleBinding does; FAILED_PRECONDITION LAST_OWNER if the organization would have no owner
     * left. Emits an event.
     */
    update(uid: string, changes: Changes<RoleBindingInput>, options?: UpdateOptions): Promise<RoleBinding>;
}
/**
 * Named sets of capabilities. Built-in roles stand at the root, where everyone can read and nobody
 * change them; custom ones stand under a group.
 */
export interface RolesService {
    /**
     * Reads a role. The list capability is needed on some group for a built-in role, on its group for
     * a custom one. NOT_FOUND if there is none.
     */
    get(uid: string, options?: CallOptions): Promise<Role>;
    /**
     * Lists the built-in roles, and the custom roles of the groups on which the caller holds the list
     * capability.
     */
    list(request?: ListRolesRequest, options?: CallOptions): Listing<Role>;
    /**
     * Creates a custom role. INVALID_ARGUMENT without a capability, or with an internal one that
     * CAP_INTERNAL does not go with. Emits an event.
     */
    create(parent: string, role: RoleInput, options?: CallOptions): Promise<Role>;
    /**
     * Changes a custom role, at once for all that it is bound to. PERMISSION_DENIED on a built-in
     * role; INVALID_ARGUMENT as on create; FAILED_PRECONDITION LAST_OWNER if the organization would
     * have no owner left. Emits an event.
     */
    update(uid: string, changes: Changes<RoleInput>, options?: UpdateOptions): Promise<Role>;
    /**
     * Deletes a custom role. FAILED_PRECONDITION while it is bound to any identity; PERMISSION_DENIED
     * on a built-in role. Emits an event.
     */
    delete(uid: string, options?: CallOptions): Promise<void>;
}
/**
 * Which legal documents an organization has accepted. Methods that need one fail with
 * FAILED_PRECONDITION and a TermsNotAcceptedDetail until it is.
 */
export interface TermsService {
    /**
     * Accepts documents on behalf of an organization. Accepting twice changes nothing. Emits an
     * event.
     */
    acceptTerms(request: AcceptTermsRequest, options?: CallOptions): Promise<AcceptTermsResponse>;
    /** Lists what an organization has accepted, and what was accepted above it. */
    listTermsAcceptances(request: ListTermsAcceptancesRequest, options?: CallOptions): Listing<TermsAcceptance>;
}
/** The libraries that the operator rebuilds: what there is, in which versions. Read only. */
export interface ArtifactsService {
    /** Lists the libraries of the given ecosystems. */
    list(request: ListArtifactsRequest, options?: CallOptions): Listing<Artifact>;
    /** Lists the versions of a library. NOT_FOUND if there is no such library. */
    listArtifactVersions(request: ListArtifactVersionsRequest, options?: CallOptions): Listing<ArtifactVersion>;
    /** Counts the libraries of each ecosystem asked for. */
    getArtifactCount(request: GetArtifactCountRequest, options?: CallOptions): Promise<GetArtifactCountResponse>;
}
/** Answers without touching any store, to tell whether the service can be reached. */
export interface PingService {
    /** Answers a fixed text. Public, emits no event, never fails. */
    ping(request?: PingRequest, options?: CallOptions): Promise<PingResponse>;
}
/**
 * What an image is made for and how big it is, read from the manifests that were stored. No image
 * is pulled.
 */
export interface ImagesService {
    /**
     * Tells the architectures of a multi-platform image. NOT_FOUND if the repo has no such digest,
     * INVALID_ARGUMENT if the digest is not an image index.
     */
    getArchitectures(request: GetArchitecturesRequest, options?: CallOptions): Promise<Architectures>;
    /**
     * Tells the size of an image for one architecture. NOT_FOUND if the repo has no such digest, or
     * the image none of that architecture.
     */
    getSize(request: GetSizeRequest, options?: CallOptions): Promise<Size>;
}
/**
 * Takes in manifests, from which the Images service answers. The layers themselves are not kept
 * here.
 */
export interface ManifestsService {
    /**
     * Stores the manifest of an image or an image index, and with it the image's configuration. The
     * same bytes again change nothing, but that a configuration which was left out is added.
     * INVALID_ARGUMENT if the content is not JSON of that media type, or the configuration another
     * one. Emits an event.
     */
    create(parent: string, manifest: ManifestInput, options?: CallOptions): Promise<Manifest>;
}
/** Repos of an organization's registry, and the readme of each. */
export interface ReposService {
    /** Reads a repo, without its readme. NOT_FOUND if there is none. */
    get(uid: string, options?: CallOptions): Promise<Repo>;
    /**
     * Creates a repo in a group. ALREADY_EXISTS if the group has one of that name. Emits an event.
     */
    create(parent: string, repo: RepoInput, options?: CallOptions): Promise<Repo>;
    /**
     * Changes the masked fields of a repo. INVALID_ARGUMENT on changing what a synced repo takes from
     * its source: tier, bundles, aliases and active tags. Emits an event.
     */
    update(uid: string, changes: Changes<RepoInput>, options?: UpdateOptions): Promise<Repo>;
    /**
     * Deletes a repo with all that stands in it: tags, manifests, SBOMs and vulnerability reports.
     * The history of its tags stays. NOT_FOUND if there is none. Emits an event.
     */
    delete(uid: string, options?: CallOptions): Promise<void>;
    /** Lists the repos of the groups on which the caller holds the list capability. */
    list(request?: ListReposRequest, options?: CallOptions): Listing<Repo>;
    /** Reads the readme of a repo. Empty if nobody wrote one. NOT_FOUND if there is no such repo. */
    getRepoReadme(request: GetRepoReadmeRequest, options?: CallOptions): Promise<RepoReadme>;
    /**
     * Writes the readme of a repo. One of the capabilities is internal: only roles of the operator
     * have it. INVALID_ARGUMENT if the Markdown holds HTML that is not safe to show. Emits the event
     * of an updated repo.
     */
    updateRepoReadme(request: UpdateRepoReadmeRequest, options?: CallOptions): Promise<RepoReadme>;
}
/**
 * Takes in software bills of materials (SBOMs) of images. They are read through version 1: GetSbom,
 * GetRawSbom and ListManifestMetadata of platform.registry.Registry.
 */
export interface SbomsService {
    /**
     * Stores the SBOM of an image. The same bytes again change nothing; other bytes for the same
     * image replace what is stored. INVALID_ARGUMENT if the content is neither SPDX 2 nor CycloneDX
     * in JSON, telling the place that cannot be read. Needs manifest.create, since the contract has
     * no capability to create SBOMs. Emits an event, without the content.
     */
    create(parent: string, sbom: SbomInput, options?: CallOptions): Promise<Sbom>;
}
/** Loads the history of tags from elsewhere. */
export interface TagMovesService {
    /**
     * Records moves of tags with the times at which they happened, oldest first. A repo or a tag is
     * made on first mention, and the last move is where a tag stands. A move that is on record
     * already changes nothing, so a load can be repeated. A move to the digest that the next record
     * begins takes the place of that record. Emits one event for all.
     */
    importTagMoves(request: ImportTagMovesRequest, options?: CallOptions): Promise<ImportTagMovesResponse>;
}
/**
 * Tags of repos. Whenever a tag moves to another digest, its history gets a record, which the
 * registry serves.
 */
export interface TagsService {
    /** Reads a tag. NOT_FOUND if there is none. */
    get(uid: string, options?: CallOptions): Promise<Tag>;
    /**
     * Lists the tags of the groups on which the caller holds the list capability. Tags of referrers,
     * dates and epochs are left out unless asked for.
     */
    list(request?: ListTagsRequest, options?: CallOptions): Listing<Tag>;
    /** Creates a tag, or moves the one of that name. Emits the same event either way. */
    create(parent: string, tag: TagInput, options?: CallOptions): Promise<Tag>;
    /**
     * Deletes a tag. Its history stays, and the image can still be pulled by digest. NOT_FOUND if
     * there is none. Emits an event.
     */
    delete(uid: string, options?: CallOptions): Promise<void>;
}
/**
 * Takes in what scanners found in images, from which the vulnerability reports of version 1 answer.
 */
export interface VulnReportsService {
    /**
     * Stores the report of one scan of an image, in the JSON that Grype writes. The same report of
     * the same image again changes nothing. INVALID_ARGUMENT if the content is no such report, is
     * about another image, or is too large. NOT_FOUND if the repo does not exist. Emits an event,
     * which tells the outcome of the scan but not the report.
     */
    create(parent: string, vulnReport: VulnReportInput, options?: CallOptions): Promise<VulnReport>;
}
/**
 * What is known about vulnerabilities in the operator's packages and images. An advisory follows
 * one vulnerability in one artifact; its events tell how it went.
 */
export interface AdvisoriesService {
    /** Reads an advisory with all of its events. NOT_FOUND if there is none. */
    get(uid: string, options?: CallOptions): Promise<Advisory>;
    /**
     * Lists the advisories of the groups on which the caller holds the list capability. All filters
     * that are set must hold; within a repeated one, any value will do.
     */
    list(request?: ListAdvisoriesRequest, options?: CallOptions): Listing<Advisory>;
}
/** Hands out advisories as documents of the formats that scanners and other databases read. */
export interface AdvisoryExportsService {
    /**
     * Answers an advisory as a document. Over REST `GET /vulnerabilities/v2/advisories/{uid}` does
     * the same with `?format=`, or with `Accept` naming the format's media type. NOT_FOUND if there
     * is no such advisory.
     */
    exportAdvisory(request: ExportAdvisoryRequest, options?: CallOptions): Promise<JsonObject>;
}
/** Takes imports of vulnerability data back. */
export interface AdvisoryPurgesService {
    /**
     * Deletes advisories of a group for good, with what imports brought along: documents, libraries
     * and vulnerability metadata. Either everything that the group itself has, or what one source
     * brought and no other source did. Groups below are left alone. Each call takes a bounded step:
     * call it again while `more` is true. Without `force` nothing is deleted, and the answer says
     * what there is. NOT_FOUND if there is no group. Emits one event for the step, and
     * `api.vulnerabilities.advisory.deleted.v1` for each advisory that is deleted.
     */
    purgeAdvisories(request: PurgeAdvisoriesRequest, options?: CallOptions): Promise<PurgeAdvisoriesResponse>;
}
/**
 * Loads advisories in the Common Security Advisory Framework: version 2.0, the profiles VEX and
 * security advisory.
 */
export interface CsafDocumentsService {
    /**
     * Takes in CSAF documents. What they say of one vulnerability in one product becomes one
     * advisory, each statement an event of it, in order of the statements' times: newer statements
     * are added and none is rewritten. A statement that says nothing new changes nothing, so a load
     * can be repeated. INVALID_ARGUMENT naming everything in which the documents are no CSAF, and
     * then none is taken; FAILED_PRECONDITION where an advisory would get more events than it may
     * have. Emits one event for all.
     */
    importCsafDocuments(request: ImportCsafDocumentsRequest, options?: CallOptions): Promise<ImportCsafDocumentsResponse>;
}
/**
 * Loads statements of who ships a product on whether a vulnerability affects it, in the OpenVEX
 * format, version 0.2.
 */
export interface OpenVexDocumentsService {
    /**
     * Takes in OpenVEX documents. What they say of one vulnerability in one product becomes one
     * advisory, each statement an event of it, in order of the statements' times: newer statements
     * are added and none is rewritten. A statement that says nothing new changes nothing, so a load
     * can be repeated. INVALID_ARGUMENT naming everything in which the documents are no OpenVEX, and
     * then none is taken; FAILED_PRECONDITION where an advisory would get more events than it may
     * have. Emits one event for all.
     */
    importOpenVexDocuments(request: ImportOpenVexDocumentsRequest, options?: CallOptions): Promise<ImportOpenVexDocumentsResponse>;
}
/** Loads vulnerability data in the Open Source Vulnerability format. */
export interface OsvRecordsService {
    /**
     * Takes in OSV records, by which advisories and their metadata are made and updated. A record
     * that is not newer than the one stored changes nothing, so a load can be repeated.
     * INVALID_ARGUMENT naming the first record that is no OSV, and then none is taken. Emits one
     * event for all.
     */
    importOsvRecords(request: ImportOsvRecordsRequest, options?: CallOptions): Promise<ImportOsvRecordsResponse>;
}
/** Every resource of version 2. */
export interface Resources {
    /**
     * The public feed of security advisories, by package, and the metadata of vulnerabilities. The
     * first two methods need no token.
     */
    readonly securityAdvisory: SecurityAdvisoryService;
    /**
     * Webhooks: each subscription gets the events of its group and of all groups below it, as
     * CloudEvents over HTTPS. Delivery is not served yet: events wait in the outbox. A subscription
     * is never changed, only deleted and made anew.
     */
    readonly subscriptions: SubscriptionsService;
    /**
     * Links between a group and its accounts at cloud providers, through which the service acts
     * there. A group has at most one, and the uid of the link is that of the group.
     */
    readonly accountAssociations: AccountAssociationsService;
    /**
     * Rules that give the members of a group at an identity provider a role for the length of a
     * session. What they give never shows up among the role bindings. They are guarded by the
     * capabilities of identity providers, which they belong to.
     */
    readonly externalGroupRoleMappings: ExternalGroupRoleMappingsService;
    /**
     * Invitations into a group: whoever holds the code joins the group with the role of the invite.
     * To invite is to promise a role binding, so that capability is needed as well.
     */
    readonly groupInvites: GroupInvitesService;
    /**
     * Groups form trees. The root of a tree is an organization; whatever is granted on a group holds
     * for everything below it.
     */
    readonly groups: GroupsService;
    /**
     * Who calls: people, each at the root with a uid that follows from issuer and subject, and
     * workloads, each under a group. An identity can do nothing until a role is bound to it.
     */
    readonly identities: IdentitiesService;
    /**
     * An organization's own sign-in, by OpenID Connect, and the provisioning of its users, by SCIM
     * (RFC 7644). The secret of a provider is taken and never given back.
     */
    readonly identityProviders: IdentityProvidersService;
    /**
     * Who has which role where. A binding holds on its group, which is the parent of its uid, and on
     * everything below.
     */
    readonly roleBindings: RoleBindingsService;
    /**
     * Named sets of capabilities. Built-in roles stand at the root, where everyone can read and
     * nobody change them; custom ones stand under a group.
     */
    readonly roles: RolesService;
    /**
     * Which legal documents an organization has accepted. Methods that need one fail with
     * FAILED_PRECONDITION and a TermsNotAcceptedDetail until it is.
     */
    readonly terms: TermsService;
    /** The libraries that the operator rebuilds: what there is, in which versions. Read only. */
    readonly artifacts: ArtifactsService;
    /** Answers without touching any store, to tell whether the service can be reached. */
    readonly ping: PingService;
    /**
     * What an image is made for and how big it is, read from the manifests that were stored. No image
     * is pulled.
     */
    readonly images: ImagesService;
    /**
     * Takes in manifests, from which the Images service answers. The layers themselves are not kept
     * here.
     */
    readonly manifests: ManifestsService;
    /** Repos of an organization's registry, and the readme of each. */
    readonly repos: ReposService;
    /**
     * Takes in software bills of materials (SBOMs) of images. They are read through version 1:
     * GetSbom, GetRawSbom and ListManifestMetadata of platform.registry.Registry.
     */
    readonly sboms: SbomsService;
    /** Loads the history of tags from elsewhere. */
    readonly tagMoves: TagMovesService;
    /**
     * Tags of repos. Whenever a tag moves to another digest, its history gets a record, which the
     * registry serves.
     */
    readonly tags: TagsService;
    /**
     * Takes in what scanners found in images, from which the vulnerability reports of version 1
     * answer.
     */
    readonly vulnReports: VulnReportsService;
    /**
     * What is known about vulnerabilities in the operator's packages and images. An advisory follows
     * one vulnerability in one artifact; its events tell how it went.
     */
    readonly advisories: AdvisoriesService;
    /** Hands out advisories as documents of the formats that scanners and other databases read. */
    readonly advisoryExports: AdvisoryExportsService;
    /** Takes imports of vulnerability data back. */
    readonly advisoryPurges: AdvisoryPurgesService;
    /**
     * Loads advisories in the Common Security Advisory Framework: version 2.0, the profiles VEX and
     * security advisory.
     */
    readonly csafDocuments: CsafDocumentsService;
    /**
     * Loads statements of who ships a product on whether a vulnerability affects it, in the OpenVEX
     * format, version 0.2.
     */
    readonly openVexDocuments: OpenVexDocumentsService;
    /** Loads vulnerability data in the Open Source Vulnerability format. */
    readonly osvRecords: OsvRecordsService;
}
