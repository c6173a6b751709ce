/** A message without account keys and signatures, which a command line or a URL in it may have. */
export const withoutSecrets = (message: string): string => message.replaceAll(secret, "$1=…");

const secret = /\b(AccountKey|SharedAccessSignature|sig)=[^;&\s'"]+/gi;

/** The environment without variables that have such a key or signature in them, for programs that need none. */
export const environmentWithoutSecrets = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([, value = ""]) => withoutSecrets(value) === value));
