# SPDX-License-Identifier: Apache-2.0
"""BurinImport.py - an ingest module for Autopsy: the files that burin found in a data source become carved files of the case, in place.

Autopsy runs it in Jython (Python 2.7). It reads what `burin report --format dfxml` wrote, which also chooses the files; nothing is
copied: each file is a list of byte ranges of the data source, those of files in pieces too.
"""
import inspect
import os
import xml.sax
import xml.sax.handler

from java.lang import IllegalArgumentException
from java.util import ArrayList
from java.util.logging import Level
from javax.swing import BoxLayout, JLabel, JTextField
from org.sleuthkit.autopsy.casemodule import Case
from org.sleuthkit.autopsy.coreutils import Logger
from org.sleuthkit.autopsy.ingest import DataSourceIngestModule
from org.sleuthkit.autopsy.ingest import IngestMessage
from org.sleuthkit.autopsy.ingest import IngestModule
from org.sleuthkit.autopsy.ingest import IngestModuleFactoryAdapter
from org.sleuthkit.autopsy.ingest import IngestModuleIngestJobSettings
from org.sleuthkit.autopsy.ingest import IngestModuleIngestJobSettingsPanel
from org.sleuthkit.autopsy.ingest import IngestServices
from org.sleuthkit.autopsy.ingest import ModuleContentEvent
from org.sleuthkit.autopsy.ingest.IngestModule import IngestModuleException
from org.sleuthkit.datamodel import CarvingResult
from org.sleuthkit.datamodel import TskFileRange

NAME = "burin import"
BATCH = 5000  # files that are given to Autopsy at a time
PIECES_MAX = 1 << 20  # of one file
TEXT_MAX = 1 << 16  # characters of one element


class ReportError(Exception):
    """A report that cannot be read, and why."""


class Found(object):
    """A file of a report. Offsets are bytes of the medium."""

    def __init__(self):
        self.name, self.size, self.image, self.runs = "", -1, 1, []


class ReportReader(xml.sax.handler.ContentHandler, xml.sax.handler.EntityResolver):
    """Calls images(paths) once, before the first file, and each(found) for every file of a report."""

    def __init__(self, images, each):
        xml.sax.handler.ContentHandler.__init__(self)
        self._images, self._each = images, each
        self._paths, self._found, self._text = [], None, None

    def resolveEntity(self, publicId, systemId):
        raise ReportError("it names another file, %s" % systemId)

    def startElement(self, name, attributes):
        if name == "fileobject":
            self._tell_images()
            self._found = Found()
        elif name == "byte_run" and self._found is not None:
            if len(self._found.runs) >= PIECES_MAX:
                raise ReportError("%s has too many pieces" % self._found.name)
            self._found.runs.append((number(attributes.get("img_offset", "")), number(attributes.get("len", ""))))
        self._text = []

    def characters(self, content):
        if self._text is not None:
            self._text.append(content)
            if len(self._text) > TEXT_MAX:
                raise ReportError("a text is too long")

    def endElement(self, name):
        text = "".join(self._text or [])
        self._text = None
        if name == "image_filename":
            self._paths.append(text)
        elif self._found is None:
            return
        elif name == "filename":
            self._found.name = text.replace("\\", "/").split("/")[-1]
        elif name == "filesize":
            self._found.size = number(text)
        elif name == "burin:image":
            self._found.image = number(text)
        elif name == "fileobject":
            self._each(self._found)
            self._found = None

    def endDocument(self):
        self._tell_images()

    def _tell_images(self):
        if self._images is not None:
            self._images(self._paths)
            self._images = None


def number(text):
    """A number of a report: bytes, and never negative."""
    if not text.isdigit() or len(text) > 19 or int(text) >= 1 << 63:
        raise ReportError("'%s' is no number of bytes" % text[:40])
    return int(text)


def read_report(path, images, each):
    """Reads the report in the file at path. burin's reports declare nothing (<!DOCTYPE), and neither may this one."""
    with open(path, "rb") as stream:
        head = stream.read(4096)
        if b"<dfxml" not in head or b"<!" in head.split(b"<dfxml")[0]:
            raise ReportError("it is no report of burin: make one with burin report --format dfxml --out FILE CASE")
        stream.seek(0)
        reader = ReportReader(images, each)
        parser = xml.sax.make_parser()
        parser.setContentHandler(reader)
        parser.setEntityResolver(reader)
        try:
            parser.parse(stream)
        except xml.sax.SAXException as error:
            raise ReportError("it is damaged: %s" % error)


def image_of(paths, source_paths):
    """The number of the image of a report, counted from 1, that a data source is: by the name of its file, or the only one."""
    names = [os.path.basename(path.replace("\\", "/")) for path in source_paths]
    for at, path in enumerate(paths):
        if os.path.basename(path.replace("\\", "/")) in names:
            return at + 1
    if len(paths) == 1:
        return 1
    raise ReportError("it has %d images, and none is called %s" % (len(paths), " or ".join(names) or "as the data source"))


class BurinImportFactory(IngestModuleFactoryAdapter):
    moduleName = NAME

    def __init__(self):
        self.local_settings = None

    def getModuleDisplayName(self):
        return self.moduleName

    def getModuleDescription(self):
        return "Adds the files that burin found in a data source as carved files. Nothing is copied."

    def getModuleVersionNumber(self):
        return "1"

    def getDefaultIngestJobSettings(self):
        return BurinImportSettings()

    def hasIngestJobSettingsPanel(self):
        return True

    def getIngestJobSettingsPanel(self, settings):
        if not isinstance(settings, BurinImportSettings):
            raise IllegalArgumentException("these are not the settings of " + self.moduleName)
        self.local_settings = settings
        return BurinImportPanel(settings)

    def isDataSourceIngestModuleFactory(self):
        return True

    def createDataSourceIngestModule(self, settings):
        return BurinImport(settings)


class BurinImportSettings(IngestModuleIngestJobSettings):
    serialVersionUID = 1

    def __init__(self):
        self.report = ""

    def getVersionNumber(self):
        return self.serialVersionUID

    def getReport(self):
        return self.report

    def setReport(self, path):
        self.report = path


class BurinImportPanel(IngestModuleIngestJobSettingsPanel):
    def __init__(self, settings):
        self.local_settings = settings
        self.setLayout(BoxLayout(self, BoxLayout.Y_AXIS))
        self.add(JLabel("Report, as burin report --format dfxml --out FILE CASE wrote it:"))
        self.field = JTextField(settings.getReport(), 40)
        self.add(self.field)

    def getSettings(self):
        self.local_settings.setReport(self.field.getText().strip())
        return self.local_settings


class BurinImport(DataSourceIngestModule):
    _logger = Logger.getLogger(NAME)

    def __init__(self, settings):
        self.report = settings.getReport()
        self.context = None

    def log(self, level, text):
        self._logger.logp(level, self.__class__.__name__, inspect.stack()[1][3], text)

    def startUp(self, context):
        self.context = context
        if not self.report:
            raise IngestModuleException("no report is named: burin report --format dfxml --out FILE CASE makes one")
        if not os.path.isfile(self.report):
            raise IngestModuleException("there is no file %s" % self.report)

    def process(self, source, progress):
        progress.switchToIndeterminate()
        work = Import(self.context, source)
        try:
            read_report(self.report, work.images, work.each)
            work.flush()
        except Cancelled:
            pass
        except (ReportError, IOError) as error:
            self.log(Level.SEVERE, "%s: %s" % (self.report, error))
            IngestServices.getInstance().postMessage(
                IngestMessage.createMessage(IngestMessage.MessageType.ERROR, NAME, "%s: %s" % (self.report, error)))
            return IngestModule.ProcessResult.ERROR
        text = "%d files added" % work.added
        if work.outside:
            text += "; %d left out, of which bytes are not in the data source: is it the image that was scanned?" % work.outside
        if work.other:
            text += "; %d left out, which are of other images" % work.other
        self.log(Level.INFO, text)
        IngestServices.getInstance().postMessage(IngestMessage.createMessage(IngestMessage.MessageType.INFO, NAME, text))
        return IngestModule.ProcessResult.OK

    def shutDown(self):
        pass


class Cancelled(Exception):
    """The user wants no more of it."""


class Import(object):
    """What a report has of one data source, given to Autopsy in batches."""

    def __init__(self, context, source):
        self._context, self._source, self._size = context, source, source.getSize()
        self._batch, self._image = ArrayList(), 1
        self.added = self.outside = self.other = 0

    def images(self, paths):
        self._image = image_of(paths, self._source.getPaths() if hasattr(self._source, "getPaths") else [])

    def each(self, found):
        if found.image != self._image:
            self.other += 1
            return
        if found.size <= 0 or not found.runs or any(length == 0 or offset + length > self._size for offset, length in found.runs):
            self.outside += 1
            return
        ranges = ArrayList()
        for at, (offset, length) in enumerate(found.runs):
            ranges.add(TskFileRange(offset, length, at))
        self._batch.add(CarvingResult.CarvedFile(found.name, found.size, ranges))
        if self._batch.size() >= BATCH:
            self.flush()

    def flush(self):
        if self._context.isJobCancelled():
            raise Cancelled()
        if self._batch.size() == 0:
            return
        files = Case.getCurrentCase().getServices().getFileManager().addCarvedFiles(CarvingResult(self._source, self._batch))
        self.added += files.size()
        self._batch = ArrayList()
        if files.size() > 0:
            self._context.addFilesToJob(ArrayList(files))
            IngestServices.getInstance().fireModuleContentEvent(ModuleContentEvent(files.get(0)))
