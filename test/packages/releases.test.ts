/** The releases of distributions, as package URLs, SBOMs, OSV records and CPE names write them. */
import { describe, expect, test } from "vitest";
import { readPurl } from "../../src/packages/purls.ts";
import { releaseOf, releaseOfCpe, releaseOfEcosystem } from "../../src/packages/releases.ts";

const of = (purl: string, name = "", version = "") => {
  const read = readPurl(purl);
  if (!read) throw new Error(`${purl} is no package URL`);
  return releaseOf(read, name === "" ? undefined : { name, version });
};

test.each([
  ["pkg:deb/debian/openssl@3.0.11?distro=debian-12", "debian", "debian-12"],
  ["pkg:deb/debian/openssl@3.0.11?distro=debian-12.5", "debian", "debian-12"],
  ["pkg:deb/debian/curl@7.50.3-1?distro=jessie", "debian", "debian-8"],
  ["pkg:deb/debian/curl@8?distro=debian-bookworm", "debian", "debian-12"],
  ["pkg:deb/debian/curl@8?distro=debian-sid", "debian", "?"],
  ["pkg:deb/debian/curl@8?distro=debian", "debian", "?"],
  ["pkg:deb/ubuntu/curl@8?distro=ubuntu-22.04", "ubuntu", "ubuntu-22.04"],
  ["pkg:deb/ubuntu/curl@8?distro=noble", "ubuntu", "ubuntu-24.04"],
  ["pkg:apk/alpine/curl@8?distro=alpine-3.20.3", "alpine", "alpine-3.20"],
  ["pkg:apk/alpine/curl@8?distro=3.20.3", "alpine", "alpine-3.20"],
  ["pkg:apk/curl@8?distro=3.20.3", "", "?"],
  ["pkg:apk/alpine/curl@8?distro=alpine-3.21.0_alpha20240807", "alpine", "?"],
  ["pkg:apk/alpine/curl@8?distro=alpine-edge", "alpine", "?"],
  ["pkg:apk/wolfi/curl@8?distro=wolfi-20230201", "wolfi", ""],
  ["pkg:apk/wolfi/curl@8", "wolfi", ""],
  ["pkg:apk/elsewhere/curl@8?distro=elsewhere-20230214", "elsewhere", ""],
  ["pkg:rpm/redhat/curl@8?distro=rhel-9.4", "redhat", "rhel-9"],
  ["pkg:rpm/redhat/curl@8?distro=redhat-9.4", "redhat", "rhel-9"],
  ["pkg:rpm/rhel/curl@8?distro=rhel-9", "redhat", "rhel-9"],
  ["pkg:rpm/almalinux/curl@8?distro=almalinux-9.3", "almalinux", "almalinux-9"],
  ["pkg:rpm/alma/curl@8?distro=alma-9.3", "almalinux", "almalinux-9"],
  ["pkg:rpm/rocky/curl@8?distro=rocky-9.3", "rocky-linux", "rocky-9"],
  ["pkg:rpm/rocky-linux/curl@8?distro=rocky-linux-8-legacy", "rocky-linux", "rocky-8"],
  ["pkg:rpm/opensuse/curl@8?distro=opensuse-leap-15.6", "opensuse", "opensuse-leap-15.6"],
  [
    "pkg:rpm/opensuse/curl@8?distro=opensuse-tumbleweed-20240101",
    "opensuse",
    "opensuse-tumbleweed",
  ],
  ["pkg:rpm/opensuse-tumbleweed/curl@8", "opensuse", "opensuse-tumbleweed"],
  ["pkg:rpm/opensuse.leap/curl@8?distro=opensuse.leap-15.6", "opensuse", "opensuse-leap-15.6"],
  ["pkg:rpm/sles/curl@8?distro=sles-15.5", "suse", "sles-15.5"],
  ["pkg:rpm/suse/curl@8?distro=sles-15.5", "suse", "sles-15.5"],
  ["pkg:rpm/fedora/curl@8?distro=fedora-40", "fedora", "fedora-40"],
  ["pkg:rpm/amzn/curl@8?distro=amzn-2023", "amzn", "amzn-2023"],
  [
    "pkg:rpm/openeuler/curl@8?distro=openEuler-22.03-LTS-SP3",
    "openeuler",
    "openeuler-22.03-lts-sp3",
  ],
  ["pkg:deb/raspbian/curl@8?distro=raspbian-12", "raspbian", "raspbian-12"],
  ["pkg:deb/curl@8?distro=debian-12", "debian", "debian-12"],
  ["pkg:deb/debian/curl@8", "debian", "?"],
  ["pkg:deb/curl@8", "", "?"],
  ["pkg:npm/curl@8?distro=debian-12", "", ""],
  ["pkg:pypi/curl@8", "", ""],
  ["pkg:npm/debian/curl@8", "debian", ""],
])("%s has the namespace %j and the release %j", (purl, namespace, release) => {
  expect(of(purl)).toEqual({ namespace, release });
});

describe("without a qualifier, the operating system of the SBOM counts", () => {
  test.each([
    ["pkg:deb/debian/curl@8", "debian", "12.5", "debian-12"],
    ["pkg:deb/debian/curl@8", "Debian GNU/Linux", "12", "debian-12"],
    ["pkg:deb/curl@8", "debian", "12", "debian-12"],
    ["pkg:rpm/redhat/curl@8", "rhel", "9.4", "rhel-9"],
    ["pkg:deb/debian/curl@8", "ubuntu", "22.04", "?"],
    ["pkg:deb/debian/curl@8", "debian", "", "?"],
    ["pkg:deb/debian/curl@8", "trixie", "", "?"],
    ["pkg:npm/curl@8", "debian", "12", ""],
  ])("%s on %s %s is of %j", (purl, name, version, release) => {
    expect(of(purl, name, version).release).toBe(release);
  });

  test("the qualifier counts more, and one of another distribution leaves the release open", () => {
    expect(of("pkg:deb/debian/curl@8?distro=debian-11", "debian", "12").release).toBe("debian-11");
    expect(of("pkg:deb/debian/curl@8?distro=ubuntu-22.04", "debian", "12").release).toBe("?");
  });
});

test.each([
  ["Debian:12", "debian-12"],
  ["Debian", "?"],
  ["Debian:sid", "debian-sid"],
  ["Ubuntu:22.04:LTS", "ubuntu-22.04"],
  ["Ubuntu:24.10", "ubuntu-24.10"],
  ["Ubuntu:Pro:18.04:LTS", "ubuntu-pro:18.04"],
  ["Alpine:v3.20", "alpine-3.20"],
  ["Alpine", "?"],
  ["Wolfi", ""],
  ["Elsewhere", ""],
  ["AlmaLinux:9", "almalinux-9"],
  ["Rocky Linux:9", "rocky-9"],
  ["Red Hat:enterprise_linux:9::appstream", "rhel-9"],
  ["Red Hat:enterprise_linux:10.0", "rhel-10"],
  ["Red Hat:rhel_eus:9.2::baseos", "redhat-rhel_eus-9.2"],
  ["Red Hat:openshift:4.14::el9", "redhat-openshift-4.14"],
  ["openSUSE:Leap 15.6", "opensuse-leap-15.6"],
  ["openSUSE:Tumbleweed", "opensuse-tumbleweed"],
  ["SUSE:Linux Enterprise Server 15 SP5", "sles-15.5"],
  ["SUSE:Linux Enterprise Module for Containers 15 SP5", "sles-15.5"],
  ["SUSE:Linux Enterprise Server 15", "sles-15"],
  ["SUSE:Linux Enterprise Server 15 SP4-LTSS", "sles-linux enterprise server 15 sp4-ltss"],
  ["openEuler:22.03-LTS-SP3", "openeuler-22.03-lts-sp3"],
  ["Mageia:9", "mageia-9"],
  ["Photon OS:4.0", "photon-4"],
  ["PyPI", ""],
  ["Maven:https://maven.google.com", ""],
  ["", ""],
])("the ecosystem %j is of the release %j", (ecosystem, release) => {
  expect(releaseOfEcosystem(ecosystem)).toBe(release);
});

test.each([
  ["cpe:/o:redhat:enterprise_linux:9::baseos", "rhel-9"],
  ["cpe:/a:redhat:enterprise_linux:8::appstream", "rhel-8"],
  ["cpe:2.3:o:redhat:enterprise_linux:9:*:*:*:*:*:*:*", "rhel-9"],
  ["cpe:/a:redhat:rhel_eus:9.2::appstream", "redhat-rhel_eus-9.2"],
  ["cpe:/o:suse:sles:15:sp5", "sles-15.5"],
  ["cpe:/o:debian:debian_linux:12", "debian-12"],
  ["cpe:/o:canonical:ubuntu_linux:22.04", "ubuntu-22.04"],
  ["cpe:/a:vendor:product", "?"],
  ["cpe:/h:vendor:product:1", "?"],
  ["", "?"],
])("the CPE name %j is of the release %j", (cpe, release) => {
  expect(releaseOfCpe(cpe)).toBe(release);
});
