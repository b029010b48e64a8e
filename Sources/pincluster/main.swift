import Glibc
import PinclusterService

exit(Command.run(Array(CommandLine.arguments.dropFirst())))
