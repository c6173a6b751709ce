/** A message without account keys and signatures, which a command line or a URL in it may have. */
export const withoutSecrets = (message: string): string => message.replaceAll(secret, "$1=…");

const secret = /\b(AccountKey|SharedAccessSignature|sig)=[^;&\s'"]+/gi;
