/**
 * Domains where anyone can have an address. Such an address does not show that a person belongs to an
 * organization. The operator adds more with PUBLIC_EMAIL_DOMAINS.
 */
const publicDomains = new Set(
  `126.com 139.com 163.com aim.com alice.it aol.com att.net bellsouth.net bigpond.com bluewin.ch
  bt.com btinternet.com centrum.cz charter.net comcast.net cox.net daum.net duck.com earthlink.net
  email.cz email.de email.it fastmail.com fastmail.fm foxmail.com free.fr freenet.de gmail.com
  gmx.at gmx.ch gmx.com gmx.de gmx.net googlemail.com hanmail.net hey.com hotmail.co.jp hotmail.co.uk
  hotmail.com hotmail.de hotmail.es hotmail.fr hotmail.it hushmail.com icloud.com inbox.com inbox.lv
  inbox.ru interia.pl juno.com kpnmail.nl laposte.net libero.it list.ru live.ca live.co.uk live.com
  live.com.au live.de live.fr live.nl mac.com mail.com mail.de mail.ee mail.ru mailbox.org mailfence.com
  mailinator.com me.com msn.com mweb.co.za nate.com naver.com nifty.com o2.pl onet.pl online.de
  optonline.net orange.fr outlook.co.nz outlook.com outlook.de outlook.es outlook.fr outlook.it
  outlook.jp pm.me posteo.de posteo.net privaterelay.appleid.com proton.me protonmail.ch protonmail.com
  qq.com rambler.ru rediffmail.com rocketmail.com rogers.com runbox.com sapo.pt sbcglobal.net seznam.cz
  sfr.fr shaw.ca sina.cn sina.com sky.com skynet.be sohu.com startmail.com sympatico.ca t-online.de
  talktalk.net telenet.be telus.net terra.com.br tiscali.it tuta.com tuta.io tutanota.com tutanota.de
  ukr.net uol.com.br users.noreply.github.com verizon.net videotron.ca virgilio.it virginmedia.com
  wanadoo.fr web.de windowslive.com wp.pl xtra.co.nz ya.ru yahoo.ca yahoo.co.in yahoo.co.jp yahoo.co.uk
  yahoo.com yahoo.com.au yahoo.com.br yahoo.com.mx yahoo.de yahoo.es yahoo.fr yahoo.it yandex.com
  yandex.ru yeah.net ymail.com zoho.com zohomail.com`.split(/\s+/),
);

/**
 * Whether anyone can have an address at the domain, which is in lowercase. `furtherDomains` are those of the
 * operator.
 */
export const isPublicEmailDomain = (domain: string, furtherDomains: readonly string[]) =>
  publicDomains.has(domain) ||
  furtherDomains.some((furtherDomain) => furtherDomain.toLowerCase() === domain);
