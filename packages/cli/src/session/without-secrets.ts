/** Removes account keys, signatures and passwords from a message, which may repeat a command line or a URL. */
export const withoutSecrets = (message: string): string =>
  message.replaceAll(secret, "$1=…").replaceAll(password, "$1…@");

/** The password of a `postgres://` target. */
const password = /(\bpostgres(?:ql)?:\/\/[^:@/\s]*:)[^@\s]+@/gi;

const secret = /\b(AccountKey|SharedAccessSignature|sig)=[^;&\s'")]+/gi;

/**
 * The environment without variables that contain such a key or signature, for child processes that don't need
 * them.
 */
export const environmentWithoutSecrets = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([, value = ""]) => withoutSecrets(value) === value));
